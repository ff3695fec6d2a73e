"""An error is no proof that nothing happened: what was done is done once, and accounted for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

import mulligan
from mulligan import Effect, Mulligan, Remote
from mulligan.types.call import Record
from tests.stories.effects.remote import Answer, ConnectError, StoryRemote
from tests.stories.effects.world import (
    AT_ONCE,
    act,
    ask_and_approve,
    declare_create,
    list_open,
    open_app,
)

Make = Callable[[str, str], Awaitable[dict[str, Any]]]

REFUSALS = (400, 401, 403, 404, 409, 422, 429, 503)
"""What remotes answer, also after the effect; a 503 with Retry-After."""


class CardDeclinedError(Exception):
    """How this bank's client says that it did nothing."""


def refuse(status: int) -> Answer:
    return Answer(status, retry_after=0.001 if status == 503 else None)


@pytest.fixture
def remote() -> StoryRemote:
    return StoryRemote()


@pytest.fixture
def app() -> Iterator[Mulligan]:
    with open_app() as m:
        yield m


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


def find_by_key(remote: StoryRemote) -> Callable[[Record], object]:
    return lambda record: remote.find(record.key)


def declare_pay(m: Mulligan, remote: StoryRemote, error: Exception, /, **more: Any) -> Any:
    """A payment of two requests: the money, then the receipt, which fails."""

    @m.tool(effect=Effect.IRREVERSIBLE, **more)
    async def pay(euros: int) -> str:
        remote.create({"paid": euros})
        raise error

    return pay


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError("no mail server"), ConnectError("no mail server")], ids=repr
)
async def test_an_approved_payment_whose_receipt_cannot_be_sent_is_made_once_and_stands_open(
    app: Mulligan, remote: StoryRemote, error: Exception
) -> None:
    pay = declare_pay(app, remote, error)

    await ask_and_approve(app, lambda: pay(50))

    assert len(remote.list_writes()) == 1
    assert [action.opening.tool for action in list_open(app)] == ["pay"]


@pytest.mark.parametrize("status", REFUSALS)
async def test_an_approved_payment_that_was_answered_with_an_error_stands_open(
    app: Mulligan, remote: StoryRemote, status: int
) -> None:
    pay = declare_pay(app, remote, refuse(status))

    await ask_and_approve(app, lambda: pay(50))

    assert len(remote.list_writes()) == 1
    assert [action.opening.tool for action in list_open(app)] == ["pay"]


async def test_an_approved_payment_is_not_made_again_by_itself_even_if_it_is_one_request(
    app: Mulligan, remote: StoryRemote
) -> None:
    pay = declare_pay(
        app, remote, ConnectError("the answer pointed to a dead host"), remote=Remote(requests=1)
    )

    await ask_and_approve(app, lambda: pay(50))

    assert len(remote.list_writes()) == 1


async def test_a_post_that_is_redirected_to_a_dead_host_is_sent_once(
    app: Mulligan, remote: StoryRemote
) -> None:
    create = declare_create(app, make_then_fail(remote, ConnectError("dead host")), remote)

    await act(app, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(list_open(app)) == 1


async def test_a_post_that_is_redirected_to_a_dead_host_is_found_by_its_key_and_taken_back(
    strict: Mulligan, remote: StoryRemote
) -> None:
    make = make_then_fail(remote, ConnectError("dead host"))
    create = declare_create(
        strict, make, remote, probe=find_by_key(remote), remote=Remote(lands_within=AT_ONCE)
    )

    await act(strict, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(remote.list_writes(by="undo")) == 1
    assert list_open(strict) == []


@pytest.mark.parametrize("status", REFUSALS)
async def test_an_effect_that_was_answered_with_an_error_is_found_by_the_probe_and_taken_back(
    strict: Mulligan, remote: StoryRemote, status: int
) -> None:
    make = make_then_fail(remote, refuse(status))
    create = declare_create(
        strict, make, remote, probe=find_by_key(remote), remote=Remote(lands_within=AT_ONCE)
    )

    await act(strict, lambda: create("dinner"))

    stands = len(remote.list_writes()) - len(remote.list_writes(by="undo"))
    assert stands == 0 or list_open(strict)


@pytest.mark.parametrize("status", REFUSALS)
async def test_an_effect_that_was_answered_with_an_error_and_cannot_be_looked_for_stands_open(
    app: Mulligan, remote: StoryRemote, status: int
) -> None:
    create = declare_create(app, make_then_fail(remote, refuse(status)), remote)

    await act(app, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(list_open(app)) == 1


async def test_a_call_that_was_answered_with_429_and_is_made_again_does_not_count_twice(
    app: Mulligan, remote: StoryRemote
) -> None:
    """`not_processed` is the remote's word for one request, and this tool makes two."""
    make = make_then_fail(remote, Answer(429, retry_after=0.001))
    create = declare_create(app, make, remote, remote=Remote(not_processed=True))

    await act(app, lambda: create("dinner"))

    assert len(remote.list_writes()) == 1
    assert len(list_open(app)) == 1


async def test_a_tool_of_one_request_that_never_left_is_made_again(
    app: Mulligan, remote: StoryRemote
) -> None:
    make = fail_then_make(remote, ConnectError("no route"))
    create = declare_create(app, make, remote, remote=Remote(requests=1))

    _, agent = await act(app, lambda: create("dinner"))

    assert agent.errors == []
    assert len(remote.list_writes()) == 1
    assert list_open(app) == []


async def test_a_tool_that_nobody_declared_as_one_request_is_left_open_when_nothing_left(
    app: Mulligan, remote: StoryRemote
) -> None:
    create = declare_create(app, fail_then_make(remote, ConnectError("no route")), remote)

    _, agent = await act(app, lambda: create("dinner"))

    assert len(remote.list_writes()) <= 1
    assert len(agent.errors) == len(list_open(app)) == 1


async def test_what_the_tool_itself_calls_refused_is_not_left_open(
    app: Mulligan, remote: StoryRemote
) -> None:
    @app.tool(effect=Effect.IRREVERSIBLE, refuses=CardDeclinedError)
    async def pay(euros: int) -> str:
        raise CardDeclinedError("no money")

    await ask_and_approve(app, lambda: pay(50))

    assert list_open(app) == []
    assert remote.ledger == []


async def test_a_tool_that_says_nothing_was_done_is_believed(
    app: Mulligan, remote: StoryRemote
) -> None:
    @app.tool(effect=Effect.IRREVERSIBLE)
    async def pay(euros: int) -> str:
        raise mulligan.NothingDone("the account is closed")

    await ask_and_approve(app, lambda: pay(50))

    assert list_open(app) == []
    assert remote.ledger == []


async def test_what_another_tool_refused_is_no_word_on_the_one_that_called_it(
    app: Mulligan,
) -> None:
    events = {"dinner": 18}

    @app.tool(effect=Effect.READ)
    def find_guests(event: str) -> list[str]:
        return [event]

    @app.tool(
        effect=Effect.REVERSIBLE, before=lambda _: events["dinner"],
        undo=lambda record: events.update(dinner=record.before),
    )  # fmt: skip
    async def move(day: int, options: dict[str, Any]) -> list[str]:
        events["dinner"] = day
        return find_guests("dinner", **options)

    _, agent = await act(app, lambda: move(21, {"max": 3}))

    assert isinstance(agent.errors[0], TypeError)
    assert events == {"dinner": 21}
    assert [action.opening.tool for action in list_open(app)] == ["move"]


async def test_a_call_that_its_signature_refuses_has_done_nothing(app: Mulligan) -> None:
    @app.tool(effect=Effect.REVERSIBLE, before=lambda _: None, undo=lambda _: None)
    async def move(day: int) -> None:
        """Move it."""

    _, agent = await act(app, lambda: move(21, hour=3))

    assert isinstance(agent.errors[0], TypeError)
    assert list_open(app) == []
