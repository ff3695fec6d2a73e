"""Every way there is, the simplest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.core.failures.lesson import How, Transformation
from mulligan.learning.lessons.ways.named import CONSTANT, FROM_ARGUMENT
from mulligan.learning.lessons.ways.place import ArgumentPlace, Way, is_same
from mulligan.learning.lessons.ways.reshape import RESHAPING
from mulligan.learning.lessons.ways.seen import FROM_TURN, find_named_by_person
from mulligan.learning.lessons.ways.told import FROM_ERROR
from mulligan.learning.shape.coerce import NOTHING

WAYS: Mapping[How, Way] = {
    **RESHAPING,
    How.FROM_ARGUMENT: FROM_ARGUMENT,
    How.FROM_ERROR: FROM_ERROR,
    How.CONSTANT: CONSTANT,
    How.FROM_TURN: FROM_TURN,
}

OPEN = Way(lambda _value, _place: iter(()), find_named_by_person)
"""What could not be understood is what the person calls by its name, if they do."""

MOST = 6
"""Ways to one value that are worth keeping."""


def find_ways(value: object, place: ArgumentPlace) -> list[Transformation]:
    """How a value can have been made, the simplest first; each way, gone again, leads to it."""
    found: list[Transformation] = []
    for made in _explain_value(value, place):
        if made not in found and is_same(make(made, place), value):
            found.append(made)
        if len(found) == MOST:
            break
    return found


def make(made: Transformation, place: ArgumentPlace) -> object:
    """The value made once more out of the call at hand; `NOTHING` where it cannot be."""
    way = OPEN if made.how is How.OPEN else WAYS.get(made.how)
    return NOTHING if way is None else way.make(made.given, place)


def _explain_value(value: object, place: ArgumentPlace) -> Iterator[Transformation]:
    for how, way in WAYS.items():
        for given in way.explain(value, place):
            yield Transformation(argument=place.argument, how=how, given=given)
