"""Which object was meant by an id that is none: one that a tool has returned, by its name."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.language.lexicon import find_stems
from mulligan.checks.returned.records import Found, get_id_of, get_title_of
from mulligan.checks.returned.structure import read_structure
from mulligan.checks.subject.subject import Argument, Subject
from mulligan.checks.subject.values import list_records
from mulligan.core.display.quoted import quote_value

_SHOWN = 60


def suggest_id(argument: Argument, subject: Subject) -> str:
    """What to give instead of an id from nowhere; empty unless one object alone fits its words.

    The words of the id itself come first, as in `dinner-2026-11-20`; then those of the request.
    """
    found = list(_list_named(argument, subject))
    for words in (find_stems(argument.value), find_stems(subject.turn.message)):
        meant = {held: title for held, title in found if words & find_stems(title)}
        if len(meant) == 1:
            ((held, title),) = meant.items()
            right, shown = (quote_value(each, most=_SHOWN) for each in (held, title))
            return f"Give {argument.label}={right}, which was returned for {shown}."
    return ""


def _list_named(argument: Argument, subject: Subject) -> Iterator[tuple[str, str]]:
    """The ids that calls have returned before this one, each with the name of what it is of."""
    for execution in (*subject.earlier, *subject.executions):
        if execution is argument.execution:
            return
        for record in list_records(read_structure(execution.result)):
            named = _read_named(record, argument.name)
            if named is not None:
                yield named


def _read_named(record: Found, name: str) -> tuple[str, str] | None:
    held, title = get_id_of(record, name=name), get_title_of(record)
    return (held, title) if held and title else None
