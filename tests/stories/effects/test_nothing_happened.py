"""An error is no proof that nothing happened: what was done is done once, and accounted for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import mulligan
from mulligan import Effect, Mulligan, Remote
from tests.stories.effects.remote import Answer, ConnectError, StoryRemote
from tests.stories.effects.world import AT_ONCE, act, ask_and_approve, declare_create, list_open

Make = Callable[[str, str], Awaitable[dict[str, Any]]]

REFUSALS = (401, 403, 404, 409, 422, 429, 503)
"""What remotes answer, also after the effect; a 503 with Retry-After."""


class CardDeclinedError(Exception):
    """How this bank's client says that it did nothing."""


def refuse(status: int) -> Answer:
    return Answer(status, retry_after=0.001 if status == 503 else None)


@pytest.fixture
def remote() -> StoryRemote:
    return StoryRemote()


def make_then_fail(remote: StoryRemote, error: Exception) -> Make:
    """A request that takes effect, and an error for an answer."""

    async def make(title: str, key: str) -> dict[str, Any]:
        remote.create({"title": title}, key=key)
        raise error

    return make


def fail_then_make(remote: StoryRemote, error: Exception) -> Make:
    """A first request that never leaves, and a second one that does."""
    errors = [error]

    async def make(title: str, key: str) -> dict[str, Any]:
        if errors:
            raise errors.pop()
        return remote.create({"title": title}, key=key)

    return make


def declare_pay(m: Mulligan, remote: StoryRemote, error: Exception, /, **more: Any) -> Any:
    """A payment of two requests: the money, then the receipt, which fails."""

    @m.tool(effect=Effect.IRREVERSIBLE, **more)
    async def pay(euros: int) -> str:
        remote.create({"paid": euros})
        raise error

    return pay


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError("no mail server"),
        ConnectError("no mail server"),
        *map(refuse, REFUSALS),
    ],
    ids=str,
)
async def test_an_approved_payment_that_ended_in_an_error_is_made_once_and_stays_open(
    content: Mulligan, remote: StoryRemote, error: Exception
) -> None:
    pay = declare_pay(content, remote, error)

    await ask_and_approve(content, lambda: pay(50))

    assert len(remote.list_writes()) == 1
    assert [action.opening.tool for action in list_open(content)] == ["pay"]


async def test_an_approved_payment_is_not_made_again_by_itself_even_if_it_is_one_request(
    content: Mulligan, remote: StoryRemote
) -> None:
    pay = declare_pay(
        content,
        remote,
        ConnectError("the answer pointed to a dead host"),
        remote=Remote(requests=1),
    )

    await ask_and_approve(content, lambda: pay(50))

    assert len(remote.list_writes()) == 1


AFTER_THE_EFFECT = pytest.mark.parametrize(
    "error", [ConnectError("dead host"), *map(refuse, REFUSALS)], ids=str
)


@AFTER_THE_EFFECT
async def test_an_effect_that_ended_in_an_error_is_found_by_the_probe_and_undone(
    strict: Mulligan, remote: StoryRemote, error: Exception
) -> None:
    make = make_then_fail(remote, error)
    create = declare_create(
        strict, make, remote, probe=lambda record: remote.find(record.key),
        remote=Remote(lands_within=AT_ONCE),
    )  # fmt: skip

    await act(strict, lambda: create("dinner"))

    made, undone = len(remote.list_writes()), len(remote.list_writes(by="undo"))
    assert made == 1
    assert undone == 1 or list_open(strict)


@AFTER_THE_EFFECT
async def test_an_effect_that_ended_in_an_error_and_cannot_be_looked_for_stays_open(
    content: Mulligan, remote: StoryRemote, error: Exception
) -> None:
    create = declare_create(content, make_then_fail(remote, error), remote)

    await act(content, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(list_open(content)) == 1


async def test_a_call_that_was_answered_with_429_and_is_made_again_does_not_count_twice(
    content: Mulligan, remote: StoryRemote
) -> None:
    """`not_processed` is the remote's word for one request, and this tool makes two."""
    make = make_then_fail(remote, Answer(429, retry_after=0.001))
    create = declare_create(content, make, remote, remote=Remote(not_processed=True))

    await act(content, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(list_open(content)) == 1


async def test_a_tool_of_one_request_that_never_left_is_made_again(
    content: Mulligan, remote: StoryRemote
) -> None:
    make = fail_then_make(remote, ConnectError("no route"))
    create = declare_create(content, make, remote, remote=Remote(requests=1))

    _, agent = await act(content, lambda: create("dinner"))

    assert agent.errors == []
    assert len(remote.list_writes()) == 1
    assert list_open(content) == []


async def test_a_tool_that_nobody_declared_as_one_request_is_left_open_when_nothing_left(
    content: Mulligan, remote: StoryRemote
) -> None:
    create = declare_create(content, fail_then_make(remote, ConnectError("no route")), remote)

    _, agent = await act(content, lambda: create("dinner"))

    assert len(remote.list_writes()) <= 1
    assert len(agent.errors) == len(list_open(content)) == 1


@pytest.mark.parametrize(
    "error", [CardDeclinedError("no money"), mulligan.NothingDone("the account is closed")], ids=str
)
async def test_what_the_tool_itself_calls_refused_is_not_left_open(
    content: Mulligan, error: Exception
) -> None:
    @content.tool(effect=Effect.IRREVERSIBLE, refuses=CardDeclinedError)
    async def pay(euros: int) -> str:
        raise error

    await ask_and_approve(content, lambda: pay(50))

    assert list_open(content) == []


async def test_what_another_tool_refused_is_no_word_on_the_one_that_called_it(
    content: Mulligan,
) -> None:
    events = {"dinner": 18}

    @content.tool(effect=Effect.READ)
    def find_guests(event: str) -> list[str]:
        return [event]

    @content.tool(
        effect=Effect.REVERSIBLE, before=lambda _: events["dinner"],
        undo=lambda record: events.update(dinner=record.before),
    )  # fmt: skip
    async def move(day: int, options: dict[str, Any]) -> list[str]:
        events["dinner"] = day
        return find_guests("dinner", **options)

    _, agent = await act(content, lambda: move(21, {"max": 3}))

    assert isinstance(agent.errors[0], TypeError)
    assert events == {"dinner": 21}
    assert [action.opening.tool for action in list_open(content)] == ["move"]


async def test_a_call_that_its_signature_refuses_has_done_nothing(content: Mulligan) -> None:
    @content.tool(effect=Effect.REVERSIBLE, before=lambda _: None, undo=lambda _: None)
    async def move(day: int) -> None:
        """Move it."""

    _, agent = await act(content, lambda: move(21, hour=3))

    assert isinstance(agent.errors[0], TypeError)
    assert list_open(content) == []
