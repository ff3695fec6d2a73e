"""What an agent is told of a call that was made otherwise than it asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bench.hosts.frameworks import FRAMEWORKS
from mulligan import Effect, Failures, Mode, Mulligan
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import CallRepaired, CallRetried, Happened

NOTE = (
    "[Mulligan: find failed as it was called. This is the result of calling it with limit=10 "
    "instead. Call it like that from now on.]"
)


class RefusedError(Exception):
    status_code = 422


@pytest.fixture
def m():
    with Mulligan("memory:") as m:
        yield m


def finding(m: Mulligan, answer: Callable[[int], Any], **declared: Any) -> Callable[..., Any]:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO, **declared)
    def find(limit: int) -> Any:
        if limit > 10:
            raise RefusedError("limit must be <= 10")
        return answer(limit)

    return find


def test_a_text_has_a_line_under_it_that_says_what_was_changed(m: Mulligan) -> None:
    find = finding(m, lambda limit: f"{limit} found")

    with m.turn("Find all") as turn:
        repaired, plain = find(limit=50), find(limit=3)

    assert repaired == f"10 found\n\n{NOTE}"
    assert plain == "3 found"
    assert [str(each) for each in turn.repaired] == [NOTE]


@pytest.mark.parametrize("result", [{"n": 1}, 7, None, '{"n": 1}', b"x"])
def test_a_result_that_is_data_is_left_as_it_is_and_the_turn_knows(m: Mulligan, result) -> None:
    find = finding(m, lambda _: result)

    with m.turn("Find all") as turn:
        came = find(limit=50)

    assert came == result
    assert type(came) is type(result)
    assert [each.changed.changes for each in turn.repaired] == [{"limit": 10}]


def test_an_author_says_where_the_note_goes(m: Mulligan) -> None:
    find = finding(
        m,
        lambda n: {"n": n},
        failures=Failures(with_note=lambda result, note: {**result, "note": note}),
    )

    assert find(limit=50) == {"n": 10, "note": NOTE}
    assert find(limit=5) == {"n": 5}


def test_a_function_for_the_note_that_breaks_costs_no_result(m: Mulligan) -> None:
    find = finding(m, lambda n: n, failures=Failures(with_note=lambda result, note: result + note))

    assert find(limit=50) == 10
    with pytest.raises(ConfigurationError, match="with_note='yes' of other is no function"):
        finding(m, str, name="other", failures=Failures(with_note="yes"))


def test_outside_a_turn_nobody_is_told_in_a_text(m: Mulligan) -> None:
    assert finding(m, lambda n: f"{n} found")(limit=50) == "10 found"


def test_a_repaired_call_is_announced_as_made_again_and_as_repaired(m: Mulligan) -> None:
    told: list[Happened] = []
    m.subscribe(told.append)

    with m.turn("Find all"):
        finding(m, str)(limit=50)
    m.flush()

    retried = [each for each in told if isinstance(each, CallRetried)]
    assert [(each.tool, each.error_class, each.try_number) for each in retried] == [
        ("find", "validation", 2)
    ]
    assert len([each for each in told if isinstance(each, CallRepaired)]) == 1


def test_a_call_that_fails_once_more_was_not_repaired(m: Mulligan) -> None:
    find = finding(m, lambda _: {"isError": True, "content": "no such index"})

    with m.turn("Find all") as turn, pytest.raises(RefusedError, match="<= 10") as caught:
        find(limit=50)

    [note] = caught.value.__notes__
    assert "Mulligan also called find with limit=10, which failed too: “no such index”" in note
    assert list(turn.repaired) == []
    assert [str(each) for each in turn.advised] == [note]


@pytest.mark.full
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_models_of_real_frameworks_read_it(framework: str) -> None:
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        async def find(limit: int) -> str:
            """Find."""
            if limit > 10:
                raise RefusedError("limit must be <= 10")
            return f"{limit} found"

        async with m.turn("Find all"):
            told = await FRAMEWORKS[framework]([find], [("find", {"limit": 50})])

    [answer] = told.answers
    assert answer.startswith("10 found")
    assert "with limit=10 instead" in answer
