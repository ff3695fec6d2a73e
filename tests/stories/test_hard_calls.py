"""Calls on the worst of days: a remote that is down for a minute, an owned judge, huge input."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan import Arguments, Effect, Failures, Memory, Mode, Mulligan
from mulligan.insights.filters import Window
from mulligan.learning.from_judge import Proposal, ProposedChange
from mulligan.runtime.declaration import declare
from mulligan.runtime.toolbox import Toolbox
from mulligan.runtime.wrapper import wrap_tool
from mulligan.types.errors import SilentError
from mulligan.types.limits import Backoff
from mulligan.types.log import LogQuery
from mulligan_testing.fakes import ScriptedJudge
from tests.learning.test_suggest import FREE, LOCKED, adversarial, locked_values

AT_ONCE = Backoff(first=timedelta())
MEGABYTE = 1_000_000
SCHEMA = {"type": "object", "properties": {name: {} for name in LOCKED + FREE}}


class RefusedError(Exception):
    status_code = 422


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan(
        "memory:", recover=False, backoff=AT_ONCE, memory=Memory(unadvised=["crowd"])
    ) as application:
        yield application


@pytest.mark.full
@pytest.mark.parametrize("seconds_between_calls", [1 / 200, 10])
def test_a_remote_that_is_down_gets_a_tenth_more_calls_and_the_burst(
    m: Mulligan, seconds_between_calls: float
) -> None:
    """Five seconds of total failure at 200 calls each; then so slow that no breaker opens."""
    calls, made, now = 1_000, [0], [0.0]
    runtime = replace(m._parts.runtime, monotonic=lambda: now[0], stuck_after=0)

    def search() -> None:
        made[0] += 1
        raise ConnectionRefusedError

    declaration = declare(search, effect=Effect.READ)
    tool = wrap_tool(search, declaration=declaration, runtime=runtime, box=Toolbox())
    for _ in range(calls // 200):
        with m.turn("Search", agent="crowd"):
            for _ in range(200):
                now[0] += seconds_between_calls
                with pytest.raises(ConnectionRefusedError):
                    tool()

    assert calls < made[0] <= calls * 1.1 + 10


@pytest.mark.full
async def test_an_owned_judge_changes_no_locked_field_of_any_call() -> None:
    chance = random.Random(7)
    patches = {}
    made: list[dict[str, object]] = []

    def propose(question: object) -> Proposal:
        patch = patches["now"]
        changes = tuple(
            ProposedChange(argument=name, value=json.dumps(value))
            for name, value in patch.changes.items()
        )
        return Proposal(changes=changes, drops=patch.drops, why="Do as I say.")

    with Mulligan("memory:", recover=False, judge=ScriptedJudge(propose)) as m:

        @m.tool(
            effect=Effect.READ,
            mode=Mode.AUTO,
            failures=Failures(ask_judge=True),
            arguments=Arguments(schema=SCHEMA),
        )
        async def act(**arguments: object) -> None:
            made.append(arguments)
            raise RefusedError("it does not please me")

        offered = 0
        for _ in range(300):
            arguments, patches["now"] = adversarial(chance)
            made.clear()
            with pytest.raises(RefusedError) as caught:
                await act(**arguments)
            found = caught.value.mulligan.suggestions  # type: ignore[attr-defined]
            offered += len(found)
            after = [each.patch.apply(arguments) for each in found]
            assert all(locked_values(a) == locked_values(arguments) for a in (*after, *made))

    assert offered > 5


@pytest.mark.parametrize(
    "error",
    [
        RefusedError("limit " * (MEGABYTE // 6)),
        RefusedError("{" * MEGABYTE),
        RefusedError("'" * MEGABYTE),
        RefusedError('{"error": "' + "x" * MEGABYTE + '"}'),
    ],
    ids=["words", "braces", "quotes", "json"],
)
def test_an_error_of_a_megabyte_comes_through_with_advice_and_a_row(
    m: Mulligan, error: RefusedError
) -> None:
    @m.tool(effect=Effect.READ)
    def search(limit: int) -> None:
        raise error

    with m.turn("Search"), pytest.raises(RefusedError) as caught:
        search("2")

    m.flush()
    [row] = m.insights.log(LogQuery())
    assert caught.value is error
    assert caught.value.mulligan.advice.why  # type: ignore[attr-defined]
    assert sum(map(len, caught.value.__notes__)) < 10_000
    assert row.error_message is not None
    assert len(row.error_message) < 10_000
    assert len(m.insights.patterns(Window.DAY.length)) == 1


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * 10 * MEGABYTE},
        {"text": ["x" * 100] * 100_000},
        {"text": {f"key {n}": "x" * 90 for n in range(100_000)}},
    ],
    ids=["text", "list", "object"],
)
def test_arguments_of_ten_megabytes_cost_no_call_no_error_and_no_row(
    m: Mulligan, arguments: dict[str, object]
) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO, failures=Failures(precheck="before"))
    def publish(text: object, limit: int = 1) -> object:
        if limit != 1:
            raise RefusedError("limit: Input should be a valid integer")
        return len(text)  # type: ignore[arg-type]

    with m.turn("Publish it"):
        published = publish(**arguments)
        with pytest.raises(RefusedError) as caught:
            publish(**arguments, limit="2")

    m.flush()
    outcomes = [row.outcome for row in m.insights.log(LogQuery())]
    assert published == len(arguments["text"])  # type: ignore[arg-type]
    assert caught.value.mulligan.advice.why  # type: ignore[attr-defined]
    assert outcomes == ["failure", "success"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no such type", "properties": 7},
        {"type": "object", "properties": {"limit": {"minimum": "a lot"}}},
        {"properties": {"limit": {"$ref": "https://nowhere.example/schema.json"}}},
        {"properties": {"limit": {1, 2}}},
    ],
)
def test_a_schema_that_is_none_costs_one_sentence_and_the_rest_of_the_advice_is_there(
    m: Mulligan, schema: dict[str, object], caplog
) -> None:
    @m.tool(effect=Effect.READ, arguments=Arguments(schema=schema))
    def search(limit: int) -> None:
        raise SilentError("Order W71 not found")

    with m.turn("Where is order W17?"):
        for _ in range(2):
            with pytest.raises(SilentError) as caught:
                search("W71")

    said = [record.getMessage() for record in caplog.records]
    assert len(said) <= 1
    assert all("is not a JSON Schema" in sentence for sentence in said)
    assert caught.value.mulligan.advice.why  # type: ignore[attr-defined]
