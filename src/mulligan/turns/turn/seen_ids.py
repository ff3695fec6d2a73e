"""What was seen to be there: an object whose pre-image was read exists, whatever a judge says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from mulligan.checks.ids import EXISTS
from mulligan.checks.values import as_record
from mulligan.core.finding import Fact
from mulligan.turns.journal.book import LiveAction

_NAMES_AN_OBJECT = re.compile(r"(?:^|_)(?:id|uid|uuid)$|[a-z]Id$")


def ids_seen_there(actions: Iterable[LiveAction]) -> tuple[Fact, ...]:
    """A fact for each object that an action was on, where it names one and only one."""
    facts = (_there(ids[0]) for action in actions for ids in [_ids_of(action)] if len(ids) == 1)
    return tuple(dict.fromkeys(facts))


def _there(name: str) -> Fact:
    about = f"There was an object with the id {name!r} before the call."
    return Fact(kind=EXISTS, subject=name, value="yes", about=about)


def _ids_of(action: LiveAction) -> list[str]:
    if action.record.before is None:
        return []
    return list(dict.fromkeys(_ids_in(_of_element(action))))


def _of_element(action: LiveAction) -> Mapping[str, object]:
    """The arguments of one action: of a bulk, those of its own element."""
    arguments, each = action.record.arguments, action.declaration.each
    return as_record(arguments.get(each)) if each else arguments


def _ids_in(arguments: Mapping[str, object]) -> Iterator[str]:
    for name, value in arguments.items():
        if isinstance(value, str) and value and _NAMES_AN_OBJECT.search(name):
            yield value
