"""What tells a tool that was made for one person from the same tool made for another."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
from msgspec import Struct

from mulligan import Mulligan
from mulligan.runtime.tool_identity import Binding, find_binding, mark_unbound


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


def bind(tool: Callable[..., Any], *abilities: Callable[..., Any]) -> Binding:
    return find_binding(tool, abilities)


def test_a_plain_function_is_bound_to_nothing() -> None:
    assert bind(send, send).mark == ""
    assert bind(print).mark == ""


def test_the_same_values_have_the_same_mark_in_any_process() -> None:
    assert bind(make_send("ann")).mark == bind(make_send("ann")).mark != ""
    assert bind(Account("ann").add).mark == bind(Account("ann").add).mark
    assert bind(make_send("ann")).is_like(bind(make_send("ann")))


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

    for way in ways:
        assert way("ann").mark != way("bob").mark
        assert way("ann").mark == way("ann").mark


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


def test_a_function_may_say_itself_that_it_is_bound_to_nothing() -> None:
    class Connection:
        def __init__(self, port: int) -> None:
            self.port = port

        @mark_unbound
        def undo(self, record: object) -> None: ...

    assert find_binding(send, [Connection(1).undo]).mark == ""
    assert find_binding(send, [Account("ann").undo]).mark != ""


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


def test_an_integer_too_long_for_decimals_is_told_too() -> None:
    def make(user: int) -> Binding:
        return bind(lambda to: user)

    assert make(10**5000).mark == make(10**5000).mark != make(10**5001).mark


def test_a_client_that_was_used_is_the_same_as_a_new_one() -> None:
    def make(client: object) -> Binding:
        return bind(lambda to: client)

    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as used:
        used.get("http://example.org/")

        assert make(used).mark == make(httpx.Client()).mark
