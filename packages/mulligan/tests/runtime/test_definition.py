from __future__ import annotations

from functools import partial

from mulligan.runtime.declaration import find_definition


def send_mail(to: str) -> None: ...


def send_text(to: str) -> None: ...


def without_wraps(function):
    def inner(*args: object) -> object:
        return function(*args)

    return inner


def make_tool(user: str):
    def send(to: str) -> str:
        return user + to

    return send


class Notify:
    def __call__(self, to: str) -> None: ...


def test_a_function_that_is_made_again_stands_where_it_did() -> None:
    code = "def send(to): ..."
    first: dict[str, object] = {"__name__": "__main__"}
    again: dict[str, object] = {"__name__": "__main__"}
    exec(compile(code, "<cell 1>", "exec"), first)
    exec(compile("\n\n" + code, "<cell 2>", "exec"), again)

    assert find_definition(first["send"]) == find_definition(again["send"])  # type: ignore[arg-type]
    assert find_definition(make_tool("a")) == find_definition(make_tool("b"))


def test_two_functions_never_stand_at_one_place() -> None:
    several = [
        send_mail,
        send_text,
        without_wraps(send_mail),
        without_wraps(send_text),
        lambda to: send_mail(to),
        lambda to: send_text(to),
        partial(send_mail, "a"),
        partial(send_mail, "b"),
        Notify(),
        Notify(),
    ]

    assert len({find_definition(each) for each in several}) == len(several)
    assert str(find_definition(send_mail)) == f"send_mail in {__name__}"
