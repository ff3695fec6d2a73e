"""How a corrected call can be understood out of the failing one, its error and its turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mulligan.core.failures.lesson import How, Prerequisite, Remedy, Transformation
from mulligan.core.failures.suggestion import Earlier, FailedCall
from mulligan.learning.lessons.ways.place import ArgumentPlace, is_same
from mulligan.learning.lessons.ways.table import WAYS, find_ways
from mulligan.learning.values.leaves import is_small

_ORDER = (*WAYS, How.DROP, How.OPEN)
MOST_REMEDIES = 40
MOST_BETWEEN = 20
"""Calls between the failure and its repair that are looked at, the last ones."""
MOST_STEPS = 3
MOST_FIRST = 5
"""Calls of one step, the last ones."""
MOST_EACH = 3
"""Ways to one argument that are combined with those to the others."""


def find_remedies(
    failed: FailedCall,
    fixed_arguments: Mapping[str, object],
    *,
    between: Sequence[Earlier] = (),
) -> tuple[Remedy, ...]:
    """Every general way from the failing call to the one that succeeded, the simplest first.

    `between` is what was called after the failure and before the success, oldest first. Nothing is
    returned where a value cannot be understood: it would be another call's.
    """
    if not is_small(failed.call.arguments) or not is_small(fixed_arguments):
        return ()
    between = between[-MOST_BETWEEN:]
    turn = replace(failed, earlier=(*failed.earlier, *between))
    changes = list(_list_changes(turn, fixed_arguments))
    steps = _group_steps(failed, between)
    told = _list_first_calls(failed, between)
    found = {
        repr(remedy): remedy
        for change in changes
        for chosen in _list_subsets(steps, needed=_find_lookups(change, between))
        if chosen or change or not steps
        for remedy in _combine_remedies(change, [told[at] for at in chosen])
    }
    return tuple(sorted(found.values(), key=measure_cost)[:MOST_REMEDIES])


def _combine_remedies(
    change: tuple[Transformation, ...], told: Sequence[Sequence[Prerequisite]]
) -> Iterator[Remedy]:
    for first in itertools.islice(itertools.product(*told), MOST_EACH):
        yield Remedy(changes=change, first=first)


def measure_cost(remedy: Remedy) -> float:
    """How much a remedy asks one to believe: each change, and each call before it."""
    changes = sum(1 + _ORDER.index(each.how) / 100 for each in remedy.changes)
    made = sum(_ORDER.index(each.how) / 100 for call in remedy.first for each in call.arguments)
    return changes + made + len(remedy.first)


def _list_changes(
    failed: FailedCall, fixed: Mapping[str, object]
) -> Iterator[tuple[Transformation, ...]]:
    """Combinations of ways to all the arguments that differ."""
    before = failed.call.arguments
    ways: list[list[Transformation]] = []
    for name, value in fixed.items():
        if name in before and is_same(before[name], value):
            continue
        place = ArgumentPlace(argument=name, failed=failed, schema=failed.schema)
        ways.append(find_ways(value, place)[:MOST_EACH])
    dropped = [Transformation(argument=name, how=How.DROP) for name in before if name not in fixed]
    for chosen in itertools.islice(itertools.product(*ways), MOST_REMEDIES):
        yield (*chosen, *dropped)


def _group_steps(failed: FailedCall, between: Sequence[Earlier]) -> list[list[int]]:
    """The calls between by their place, in groups: each ends where the call was tried again.

    A try that failed in the same words shows that nothing before it had helped.
    """
    groups: list[list[int]] = [[]]
    said = failed.error
    for at, made in enumerate(between):
        if made.failed and made.tool == failed.call.tool:
            if str(made.result or "") in ("", said):
                groups[-1] = []
            else:
                groups.append([])
            said = str(made.result or "") or said
        elif not made.failed and not any(_is_same_call(made, between[i]) for i in groups[-1]):
            groups[-1].append(at)
    return [group[-MOST_FIRST:] for group in groups if group][-MOST_STEPS:]


def _is_same_call(one: Earlier, other: Earlier) -> bool:
    return one.tool == other.tool and dict(one.arguments) == dict(other.arguments)


def _list_subsets(
    steps: Sequence[Sequence[int]], *, needed: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    """Which of the calls between may have been what it took: some of every group, or all."""
    several = len(steps) > 1
    parts = [_choose_some(group, least=1 if several else 0) for group in steps]
    for chosen in itertools.islice(itertools.product(*parts), MOST_REMEDIES):
        yield tuple(sorted({*itertools.chain.from_iterable(chosen), *needed}))


def _choose_some(group: Sequence[int], *, least: int) -> list[tuple[int, ...]]:
    """Subsets by size; of a long group only the single ones, the last two and all."""
    if len(group) <= 3:
        sizes = range(least, len(group) + 1)
        return [each for size in sizes for each in itertools.combinations(group, size)]
    nothing: list[tuple[int, ...]] = [] if least else [()]
    return [*nothing, *((at,) for at in group), tuple(group[-2:]), tuple(group)]


def _find_lookups(change: Sequence[Transformation], between: Sequence[Earlier]) -> frozenset[int]:
    """The calls between that a change takes its value from."""
    tools = {each.given.get("tool") for each in change if each.how is How.FROM_TURN}
    return frozenset(
        at for at, made in enumerate(between) if not made.failed and made.tool in tools
    )


def _list_first_calls(failed: FailedCall, between: Sequence[Earlier]) -> list[list[Prerequisite]]:
    """Each call between as a prerequisite, in the ways its arguments can be understood."""
    return [
        _as_prerequisites(replace(failed, earlier=(*failed.earlier, *between[:at])), made)
        for at, made in enumerate(between)
    ]


def _as_prerequisites(failed: FailedCall, made: Earlier) -> list[Prerequisite]:
    schema = failed.schemas.get(made.tool, {})
    ways: list[list[Transformation]] = []
    for name, value in made.arguments.items():
        place = ArgumentPlace(argument=name, failed=failed, schema=schema)
        open_ended = [Transformation(argument=name, how=How.OPEN)]
        found = find_ways(value, place)[:MOST_EACH] if is_small(value) else []
        ways.append(found or open_ended)
    chosen = itertools.islice(itertools.product(*ways), MOST_EACH)
    return [Prerequisite(tool=made.tool, arguments=each) for each in chosen]
