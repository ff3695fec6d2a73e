"""What tells a tool that was made for one person from the same tool made for another."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx
import pytest
from msgspec import Struct

from mulligan import Effect, Mulligan
from mulligan.runtime import toolbox
from mulligan.runtime.tool import Tool
from mulligan.runtime.tool_identity import Binding, find_binding, mark_unbound
from mulligan.types.action import Action, Opening, State


class Account:
    def __init__(self, who: str, *, token: str = "t", at: float = 0.0) -> None:
        self.who = who
        self.token = token
        self.at = at
        self.box: dict[str, str] = {}

    def add(self, title: str) -> str:
        return title + self.who

    def undo(self, record: object) -> None: ...


class Mailbox(Struct, frozen=True):
    user: str

    def send(self, to: str) -> str:
        return to + self.user


def send(to: str, limit: int = 3) -> None: ...


def send_for(user: str, to: str) -> None: ...


def make_send(user: str) -> Callable[..., Any]:
    def tell() -> str:
        return user

    def send(to: str) -> str:
        return to + tell()

    return send


def make_undo(account: Account) -> Callable[..., Any]:
    return lambda record, account=account: account.undo(record)


def bind(tool: Callable[..., Any], *callbacks: Callable[..., Any]) -> Binding:
    return find_binding(tool, callbacks)


def test_another_person_has_another_mark_however_a_tool_is_bound() -> None:
    ways: list[Callable[[str], Binding]] = [
        lambda who: bind(make_send(who)),
        lambda who: bind(Account(who).add),
        lambda who: bind(Mailbox(who).send),
        lambda who: bind(partial(send_for, who)),
        lambda who: bind(send, Account(who).undo),
        lambda who: bind(send, make_undo(Account(who))),
        lambda who: bind(send, lambda record: who),
        lambda who: bind(send, lambda record, user=who: user),
    ]
    long: Callable[[int], Binding] = lambda user: bind(lambda to: user)  # noqa: E731

    for way in ways:
        assert way("ann").mark != way("bob").mark
        assert way("ann").mark == way("ann").mark != ""
    assert long(10**5000).mark == long(10**5000).mark != long(10**5001).mark


def test_what_changes_by_itself_is_no_part_of_it() -> None:
    first = Account("ann", token="old", at=1.0)
    later = Account("ann", token="new", at=2.0)
    later.box["tea"] = "tea"

    assert bind(first.add).mark == bind(later.add).mark


def test_objects_that_no_value_tells_apart_are_told_apart_by_themselves() -> None:
    one, other = Account("ann"), Account("ann")

    assert bind(one.add).is_like(bind(one.add))
    assert not bind(one.add).is_like(bind(other.add))


def test_a_tool_that_calls_another_one_is_bound_to_what_that_is_bound_to() -> None:
    def make(user: str) -> Binding:
        with Mulligan("memory:", recover=False) as m:
            inner = m.tool(make_send(user))
            return bind(lambda to: inner(to))

    assert make("ann").mark == make("ann").mark
    assert make("ann").mark != make("bob").mark


def test_a_plain_function_is_bound_to_nothing_and_another_may_say_so_of_itself() -> None:
    class Connection:
        def __init__(self, port: int) -> None:
            self.port = port

        @mark_unbound
        def undo(self, record: object) -> None: ...

    assert {bind(send, send).mark, bind(print).mark, bind(send, Connection(1).undo).mark} == {""}
    assert bind(send, Account("ann").undo).mark != ""


class Client:
    """As many are: with a counter, a process, and settings that a release changes."""

    def __init__(self, username: str = "app", *, timeout: int = 30) -> None:
        self.username = username
        self.timeout = timeout
        self.pid = id(self)
        self.session_id = f"session-{id(self)}"
        self.calls = itertools.count().__reduce__()[1]

    def send(self, to: str) -> None: ...


def test_a_clients_own_state_is_no_part_of_it_and_whose_it_is_is() -> None:
    assert bind(Client().send).account == bind(Client(timeout=60).send).account != ""
    assert bind(Client("ann").send).account != bind(Client("bob").send).account


def test_a_closures_numbers_and_texts_are_no_part_of_it_but_tell_two_apart_here() -> None:
    def make(base: str, started: int) -> Binding:
        return bind(lambda to: (base, started))

    one, other = make("http://127.0.0.1:4711", 1), make("http://127.0.0.1:4712", 2)

    assert one.account == other.account == ""
    assert not one.is_like(other)


def test_a_client_that_was_used_is_the_same_as_a_new_one() -> None:
    def make(client: object) -> Binding:
        return bind(lambda to: client)

    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as used:
        used.get("http://example.org/")

        assert make(used).mark == make(httpx.Client()).mark


NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", recover=False) as made:
        yield made


def declare_for(m: Mulligan, user: object, **said: Any) -> Tool:
    @m.tool(effect=Effect.IRREVERSIBLE, **said)
    def send(to: str) -> object:
        return user

    return next(iter(m._parts.toolbox))


def declare_plain(m: Mulligan) -> Tool:
    def make() -> Callable[..., Any]:
        def send(to: str) -> None: ...

        return send

    m.tool(effect=Effect.IRREVERSIBLE)(make())
    return next(iter(m._parts.toolbox))


def build_action(mark: str, *, server: str = "") -> Action:
    opening = Opening(tool="send", server=server, effect=Effect.IRREVERSIBLE, binding=mark)
    return Action(
        id="a", opening=opening, state=State.HELD, version=1, opened_at=NOW, changed_at=NOW,
        writer="w",
    )  # fmt: skip


def test_objects_that_nothing_tells_apart_find_nobody_and_it_is_said(m: Mulligan, caplog) -> None:
    before = declare_for(m, object()).mark
    tool = declare_for(m, object())

    assert tool.mistakable
    assert "Say whom each acts for with server=…" in caplog.text
    assert m._parts.toolbox.find(build_action(before)) is None
    assert m._parts.toolbox.find(build_action(tool.mark)) is None


def test_a_tool_that_is_bound_to_nothing_acts_for_everybody(m: Mulligan) -> None:
    tool = declare_plain(m)

    assert tool.mark == ""
    assert m._parts.toolbox.find(build_action("")) is tool
    assert m._parts.toolbox.find(build_action("earlier")) is tool


def test_of_very_many_the_oldest_are_found_no_more(
    m: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolbox, "MOST_BOUND", 1)
    ann, bob = declare_for(m, "ann"), declare_for(m, "bob")

    assert m._parts.toolbox.find(build_action(ann.mark)) is None
    assert m._parts.toolbox.find(build_action(bob.mark)) is bob
