"""Which pattern a logged failure is a case of, and what kind of error that is."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mulligan.core.call import Call, Failure, LogRow
from mulligan.core.error_class import ErrorClass
from mulligan.core.suggestion import ErrorRule, Pattern

if TYPE_CHECKING:
    # Not loaded by those who only read.
    from mulligan.turns.calls.toolbox import Toolbox


def build_recognizer(
    toolbox: Toolbox, *, rules: Sequence[ErrorRule]
) -> Callable[[LogRow], Pattern]:
    """Recognizes failures by what tools' authors say of errors first, then by these rules."""

    # The log's thread asks, and must not keep tools alive that nobody uses any more.
    reference = weakref.ref(toolbox)

    def recognize_by_tool(row: LogRow) -> Pattern:
        found = reference()
        tool = found.find_by_name(row.tool, server=row.server) if found is not None else None
        return recognize(row, rules=tool.error_rules if tool else rules)

    return recognize_by_tool


def recognize(row: LogRow, *, rules: Sequence[ErrorRule] = ()) -> Pattern:
    """The pattern of a failed row; the user's rules come first.

    What the log keeps is enough: the call's own values were masked before it was written.
    """
    error_class = row.error_class or ErrorClass.UNKNOWN
    said = (row.tool, row.error_message or "", error_class, row.error_type or "")
    return _recognize(said, tuple(rules))


# Masked as they are, most failures say the same again.
@lru_cache(maxsize=1024)
def _recognize(said: tuple[str, str, str, str], rules: tuple[ErrorRule, ...]) -> Pattern:
    # Only a failure needs the masks, and they take longer to load than all else here.
    from mulligan.learning.errors.fingerprint import build_pattern

    tool, error, error_class, error_type = said
    return build_pattern(
        Call(id="", tool=tool),
        error=error,
        error_class=ErrorClass(error_class),
        error_type=error_type,
        rules=rules,
    )


def classify_pattern(pattern: Pattern) -> Pattern:
    """A pattern with the class that its words give it, where the log knew only a type."""
    from mulligan.learning.errors.wording import find_likely_class

    failure = Failure(error_class=pattern.error_class)
    return replace(pattern, error_class=find_likely_class(failure, pattern.template))
