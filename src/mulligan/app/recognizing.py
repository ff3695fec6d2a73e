"""Which pattern a logged failure is a case of, and what kind of error that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from mulligan.codec.json_text import decode_json
from mulligan.core.call import Call, Failure, LogRow
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import ErrorRule, Pattern
from mulligan.learning.fingerprint import build_pattern

NONE_SHOWN: frozenset[str] = frozenset()


def recognize(
    row: LogRow, *, rules: Sequence[ErrorRule] = (), shown: frozenset[str] | None = NONE_SHOWN
) -> Pattern:
    """The pattern of a failed row; the user's rules come first.

    What the log keeps is enough: the call's own values were masked before it was written, and those
    of arguments that are `shown` stand in the row as they do in the error.
    """
    error_class = row.error_class or ErrorClass.UNKNOWN
    said = (row.tool, row.error_message or "", error_class, row.error_type or "")
    return _recognize(said, tuple(rules), _list_shown(row.parameters, shown))


# Masked as they are, most failures say the same again.
@lru_cache(maxsize=1024)
def _recognize(
    said: tuple[str, str, str, str], rules: tuple[ErrorRule, ...], shown: tuple[str, ...]
) -> Pattern:
    tool, error, error_class, error_type = said
    return build_pattern(
        Call(id="", tool=tool, arguments={"": shown}),
        error=error,
        error_class=ErrorClass(error_class),
        error_type=error_type,
        rules=rules,
    )


def _list_shown(parameters: str, names: frozenset[str] | None) -> tuple[str, ...]:
    """The texts that these arguments have in a row; of arguments that were cut short, none."""
    if names is not None and not names:
        return ()
    try:
        values = decode_json(parameters)
    except ValueError:
        return ()
    if not isinstance(values, dict):
        return ()
    texts = (values.get(name) for name in (sorted(names) if names is not None else values))
    return tuple(text for text in texts if isinstance(text, str))


def classify_pattern(pattern: Pattern) -> Pattern:
    """A pattern with the class that its words give it, where the log knew only a type."""
    from mulligan.learning.classify import find_likely_class

    failure = Failure(error_class=pattern.error_class)
    return replace(pattern, error_class=find_likely_class(failure, pattern.template))
