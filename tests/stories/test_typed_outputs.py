"""A typed output says nothing but what was done: in every host that hands one out, in the real
framework, with a model that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bench.hosts.typed_outputs import (
    MOVED,
    MOVED_RIGHT,
    RIGHT,
    SEND,
    WAYS,
    WRONG,
    World,
    is_twentieth,
    list_ways,
    take,
)
from mulligan import Mulligan, Standing
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.types.errors import UnfinishedRunError
from mulligan.types.finding import Severity
from mulligan_testing.fakes import ScriptedJudge

# The frameworks' own are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with Mulligan("memory:", recover=False) as m:
        m.check("move")(is_twentieth)
        yield World(m)


@pytest.fixture(params=list_ways())
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_rejected_run_gives_no_object_that_looks_finished(way: str, world: World) -> None:
    came = await take(WAYS[way], world, [WRONG, MOVED] * 2)

    assert world.day == 18
    assert came is None or isinstance(came, UnfinishedRunError)
    assert [(each.standing, each.finished) for each in world.answers] == [
        (Standing.REJECTED, False)
    ]
    if isinstance(came, UnfinishedRunError):
        assert "It was to be the 20th." in came.answer
        assert (came.output, came.standing) in ((MOVED, "rejected"), (None, "rejected"))


async def test_a_run_with_a_held_call_gives_no_object_that_looks_finished(
    way: str, world: World
) -> None:
    came = await take(WAYS[way], world, [SEND, MOVED, MOVED])

    assert world.sent == []
    assert came is None or isinstance(came, UnfinishedRunError)
    if isinstance(came, UnfinishedRunError):
        assert "awaiting approval" in came.answer


async def test_a_run_that_was_corrected_gives_its_object(way: str, world: World) -> None:
    came = await take(WAYS[way], world, [WRONG, MOVED, RIGHT, MOVED_RIGHT])

    assert (came, world.day) == (MOVED_RIGHT, 20)
    assert world.answers[-1].finished


async def test_whoever_asks_for_it_gets_the_object_with_its_standing(
    way: str, world: World
) -> None:
    if way.startswith("m.act"):
        pytest.skip("A `Done` has both: `output` and `standing`.")

    came = await take(WAYS[way], world, [WRONG, MOVED] * 2, keep_unfinished=True)

    assert (came, world.day) == (MOVED, 18)
    assert [each.standing for each in world.answers] == [Standing.REJECTED]
    assert "It was to be the 20th." in world.answers[0].refusal


async def test_what_a_judge_alone_disputes_gives_no_object_that_looks_finished(way: str) -> None:
    remark = Remark(area=Area.OTHER, severity=Severity.ERROR, call=1, issue="Not wanted.")
    against = Opinion(findings=(remark,), confirmed=False)
    async with Mulligan("memory:", recover=False, judge=ScriptedJudge([against] * 2)) as m:
        world = World(m)

        came = await take(WAYS[way], world, [WRONG, MOVED] * 2)

    assert (world.day, world.answers[-1].finished) == (21, False)
    assert came is None or isinstance(came, UnfinishedRunError)
    if isinstance(came, UnfinishedRunError):
        assert "In effect until a person decides" in came.answer
