"""What was seen to be there: an object whose pre-image was read exists, whatever a judge says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mulligan.checks.subject.subject import EXISTS
from mulligan.checks.subject.values import as_record
from mulligan.core.finding import Fact
from mulligan.core.runtime.late_pattern import compile_late
from mulligan.turns.journal.live_action import LiveAction

_NAMES_AN_OBJECT = compile_late(r"(?:^|_)(?:id|uid|uuid)$|[a-z]Id$")


def gather_existing_ids(actions: Iterable[LiveAction]) -> tuple[Fact, ...]:
    """A fact for each object that an action was on, where it names one and only one."""
    facts = (
        _build_fact(ids[0]) for action in actions for ids in [_find_ids(action)] if len(ids) == 1
    )
    return tuple(dict.fromkeys(facts))


def _build_fact(name: str) -> Fact:
    about = f"There was an object with the id {name!r} before the call."
    return Fact(kind=EXISTS, subject=name, value="yes", about=about)


def _find_ids(action: LiveAction) -> list[str]:
    if action.record.before is None:
        return []
    return list(dict.fromkeys(_list_ids(_read_element(action))))


def _read_element(action: LiveAction) -> Mapping[str, object]:
    """The arguments of one action: of a bulk, those of its own element."""
    arguments, each = action.record.arguments, action.declaration.each
    return as_record(arguments.get(each)) if each else arguments


def _list_ids(arguments: Mapping[str, object]) -> Iterator[str]:
    for name, value in arguments.items():
        if isinstance(value, str) and value and _NAMES_AN_OBJECT.search(name):
            yield value
