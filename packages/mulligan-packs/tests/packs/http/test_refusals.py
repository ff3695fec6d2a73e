"""A refusal is no proof that nothing was done: a request may have been repeated on its way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mulligan import Mulligan, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.effect import EffectNote
from mulligan_packs import http
from mulligan_packs.compose import compose
from mulligan_packs.http.refusals import MISSED, REFUSED, Refusals
from tests.packs.http.quiet_server import QuietServer, serve_quietly
from tests.packs.proving import act, reject

LOOKED_AT = ["put", "patch", "delete"]


@pytest.mark.parametrize(
    ("looks", "declared", "proven", "claimed"),
    [
        (True, None, frozenset(), REFUSED | MISSED),
        (False, None, frozenset(), frozenset()),
        (False, REFUSED, REFUSED, frozenset()),
        (True, frozenset({412}), frozenset({412}), frozenset()),
        (False, frozenset(), frozenset(), frozenset()),
    ],
)
def test_a_status_proves_what_a_user_says_and_else_only_what_a_look_agrees_with(
    looks: bool,
    declared: frozenset[int] | None,
    proven: frozenset[int],
    claimed: frozenset[int],
) -> None:
    refusals = Refusals(declared=declared, looks=looks)

    notes = {status: refusals.judge(status) for status in range(400, 600)}

    assert {each for each, note in notes.items() if note is EffectNote.NOTHING_DONE} == proven
    assert {each for each, note in notes.items() if note is EffectNote.REFUSED} == claimed


@pytest.fixture
def quiet() -> Iterator[QuietServer]:
    with serve_quietly() as server:
        yield server


async def send(
    server: QuietServer,
    way: str,
    *,
    event: str = "e1",
    wrong: bool = False,
    fails: type[Exception] | None = None,
    **more: Any,
) -> list[State]:
    """Write once, and see what is left open."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject] if wrong else [], recover=False) as m:
            events = http.resource(client, "/events/{event_id}", **more)

            @m.tool(**getattr(events, way)())
            def write(event_id: str | None = None) -> None:
                body = None if way == "delete" else {"title": "beer"}
                answer = client.request(way.upper(), f"/events/{event_id or ''}", json=body)
                answer.raise_for_status()
                if fails is not None:
                    raise fails("of its own")

            async def agent(turn: OpenTurn) -> str:
                if turn.attempt.number == 1:
                    try:
                        write(None if way == "post" else event)
                    except (httpx.HTTPStatusError, LookupError, TimeoutError):
                        return "It failed."
                return "Done."

            await m.act("Do it", agent)
            return [action.state for action in m.insights.open_list.actions()]


@pytest.mark.parametrize("etags", [True, False])
@pytest.mark.parametrize(
    ("way", "status"),
    [("put", 412), ("put", 400), ("patch", 412), ("patch", 422), ("patch", 409), ("delete", 404),
     ("delete", 410), ("delete", 403), ("delete", 429)],
)  # fmt: skip
async def test_a_refusal_after_the_effect_is_looked_at_and_left_to_a_person(
    quiet: QuietServer, way: str, status: int, etags: bool
) -> None:
    quiet.refusals = [status]

    states = await send(quiet, way, etags=etags)

    assert quiet.items.get("e1") != {"title": "milk", "size": 1}
    assert states == [State.NEEDS_HUMAN]


@pytest.mark.parametrize("way", LOOKED_AT)
async def test_the_second_of_a_request_that_was_repeated_does_not_speak_for_the_first(
    quiet: QuietServer, way: str
) -> None:
    quiet.repeats = 1

    assert await send(quiet, way) == [State.NEEDS_HUMAN]


@pytest.mark.parametrize("status", [401, 404, 422])
@pytest.mark.parametrize("way", LOOKED_AT)
async def test_a_refusal_that_a_look_agrees_with_is_settled_at_once(
    quiet: QuietServer, way: str, status: int
) -> None:
    quiet.refusals, quiet.refuses = [status], True

    assert await send(quiet, way) == []

    assert quiet.items == {"e1": {"title": "milk", "size": 1}}


@pytest.mark.parametrize("status", [409, 412, 429, 500])
async def test_an_answer_that_speaks_of_something_else_waits_until_it_is_too_late_to_land(
    quiet: QuietServer, status: int
) -> None:
    quiet.refusals, quiet.refuses = [status], True

    assert await send(quiet, "put") == [State.UNKNOWN]


async def test_what_was_not_there_before_and_is_not_there_now_was_not_deleted(
    quiet: QuietServer,
) -> None:
    assert await send(quiet, "delete", event="e9") == []


@pytest.mark.parametrize("status", [400, 403, 404, 409, 412, 422, 429])
async def test_a_refused_post_that_nobody_can_look_for_needs_no_attention(
    quiet: QuietServer, status: int
) -> None:
    quiet.refusals = [status]

    assert await send(quiet, "post") == [State.NEEDS_HUMAN]

    assert len(quiet.items) == 2


async def test_a_user_may_say_which_statuses_prove_it(quiet: QuietServer) -> None:
    quiet.refusals, quiet.refuses = [422, 409], True

    assert await send(quiet, "post", refused=http.REFUSED) == []
    assert await send(quiet, "post", refused=http.REFUSED) == [State.NEEDS_HUMAN]


@pytest.mark.parametrize("way", LOOKED_AT)
async def test_an_undo_whose_request_was_repeated_is_read_back_and_counts(
    quiet: QuietServer, way: str
) -> None:
    quiet.tag, before = "", dict(quiet.items)
    quiet.edit = lambda: setattr(quiet, "repeats", 1)

    assert await send(quiet, way, wrong=True) == []

    assert quiet.items == before
    assert quiet.repeats == 0


async def write_both(server: QuietServer, *, first: str, then: str, **more: Any) -> list[State]:
    """One tool that writes to two resources, the one after the other."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        async with Mulligan("memory:", recover=False, **more) as m:
            parts = [http.resource(client, path) for path in ("/events/{one}", "/events/{two}")]

            @m.tool(**compose(*(part.put() for part in parts)))
            def write(one: str, two: str) -> None:
                for name in (one, two):
                    client.put(f"/events/{name}", json={"title": "beer"}).raise_for_status()

            async def agent(turn: OpenTurn) -> str:
                if turn.attempt.number == 1:
                    try:
                        write(first, then)
                    except httpx.HTTPStatusError:
                        return "It was refused."
                return "Done."

            await m.act("Do it", agent)
            return [action.state for action in m.insights.open_list.actions()]


async def test_a_refused_part_does_not_speak_for_the_part_before_it(quiet: QuietServer) -> None:
    quiet.write("e2", {"title": "milk"})
    quiet.refusals, quiet.refuses = [0, 422], True

    assert await write_both(quiet, first="e1", then="e2") == [State.NEEDS_HUMAN]

    assert quiet.items["e1"] == {"title": "beer"}


async def test_each_of_two_resources_is_written_under_its_own_condition(
    quiet: QuietServer,
) -> None:
    quiet.write("e2", {"title": "milk"})

    assert await write_both(quiet, first="e1", then="e2") == []
    assert quiet.items == {"e1": {"title": "beer"}, "e2": {"title": "beer"}}

    quiet.write("e2", {"title": "milk"})
    before = dict(quiet.items)

    assert await write_both(quiet, first="e1", then="e2", checks=[reject]) == []
    assert quiet.items == before


@pytest.mark.parametrize("error", [LookupError, TimeoutError])
@pytest.mark.parametrize("tag", ["", None])
@pytest.mark.parametrize("way", [*LOOKED_AT, "post"])
async def test_what_was_answered_as_done_is_undone_though_the_tool_failed_after_that(
    quiet: QuietServer, way: str, tag: str | None, error: type[Exception]
) -> None:
    quiet.tag, before = tag, dict(quiet.items)

    assert await send(quiet, way, wrong=True, fails=error) == []
    assert quiet.items == before


async def test_what_is_only_accepted_is_not_done_where_the_tool_failed_after_that(
    quiet: QuietServer,
) -> None:
    quiet.queues, quiet.status = True, 202

    assert await send(quiet, "put", wrong=True, fails=LookupError) == [State.UNKNOWN]


async def test_an_id_that_a_server_keeps_by_itself_is_no_other_writers_work(
    quiet: QuietServer,
) -> None:
    quiet.names, quiet.shows = True, "nothing"
    quiet.write("e1", {"title": "milk", "size": 1})

    assert await send(quiet, "put", wrong=True, etags=False) == []
    assert quiet.items["e1"] == {"title": "milk", "size": 1, "id": "e1"}


@pytest.mark.parametrize(("key", "said"), [(None, True), ("Idempotency-Key", False)])
async def test_a_post_without_a_key_says_that_it_rests_on_arriving_once(
    quiet: QuietServer, key: str | None, said: bool
) -> None:
    with httpx.Client(base_url=quiet.url) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            events = http.resource(client, "/events/{event_id}", key_header=key)
            make = m.tool(**events.post())(lambda: client.post("/events", json={}).json())
            await act(m, make)
            promises = " ".join(m.insights.tools()[0].promises)

    assert ("sending a POST twice" in promises) is said
