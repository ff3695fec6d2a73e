"""The difference between two sets of arguments, as a patch."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.failures.suggestion import Patch


def diff_arguments(before: Mapping[str, object], after: Mapping[str, object]) -> Patch:
    """The patch that makes one out of the other."""
    changes = {
        name: value
        for name, value in after.items()
        if name not in before or not _is_identical(before[name], value)
    }
    return Patch(changes=changes, drops=tuple(name for name in before if name not in after))


def _is_identical(one: object, other: object) -> bool:
    """Equal and of one type: 1, 1.0 and `True` are three things to a tool."""
    return type(one) is type(other) and one == other and repr(one) == repr(other)
