"""Everything that can be said of a tool is kept, and what cannot be kept is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, NewType, get_type_hints

import pytest
from msgspec.structs import replace

from mulligan import Arguments, Effect, Failures, Mode, Mulligan, Remote, Review, Undoing
from mulligan.redaction import Hide
from mulligan.runtime.declaration import (
    GROUPS,
    HOMES,
    Declaration,
    Declared,
    declare,
    find_definition,
    find_misfit,
    hide_names,
)
from mulligan.runtime.tool_settings import is_derived
from mulligan.types.call import DeclaredCallbacks, Record, ToolCallbacks
from mulligan.types.errors import ConfigurationError

KEPT = set(Declaration.__struct_fields__)
ABLE = set(ToolCallbacks.__struct_fields__)
FLAT = {
    **{name: hint for name, hint in get_type_hints(Declared).items() if name not in GROUPS},
    **{name: hint for kind in GROUPS.values() for name, hint in get_type_hints(kind).items()},
}
"""Everything that can be said of a tool, by its own name."""


def find(query: str, limit: int = 3) -> list[str]:
    """Find it."""
    return [query] * limit


def read(declared: Declaration, name: str) -> object:
    """What is kept under a name, wherever it stands."""
    return getattr(getattr(declared, HOMES[name]) if name in HOMES else declared, name)


def say(name: str, value: object) -> dict[str, Any]:
    """What `@m.tool` is given for a name, wherever it stands."""
    return {HOMES[name]: {name: value}} if name in HOMES else {name: value}


def test_every_name_that_a_tool_may_declare_is_kept() -> None:
    assert set(Declared.__annotations__) - KEPT - ABLE == {"name"}
    assert ABLE - set(HOMES) == set(DeclaredCallbacks.__annotations__)


def test_there_are_no_more_names_than_anybody_holds() -> None:
    assert len(Declared.__annotations__) < 30


def test_whatever_is_kept_was_declared_or_follows_from_it() -> None:
    follows = {name for name in KEPT if is_derived(Declaration, name)}

    assert set(Declared.__annotations__) >= KEPT - follows
    assert follows >= set(GROUPS)


def test_what_is_not_declared_has_its_default() -> None:
    declared, plain = declare(find), Declaration(tool="find")

    changed = {n for n in KEPT if getattr(declared, n) != getattr(plain, n)}

    assert changed == {"hints", "arguments", "failures", "review"}
    assert declared.arguments == replace(plain.arguments, schema=declared.arguments.schema)
    assert declared.failures == replace(plain.failures, docs=("Find it.",))
    assert declared.review == replace(plain.review, judged=False)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"name": "search"}, {"tool": "search"}),
        ({"effect": "read"}, {"effect": Effect.READ, "effect_of": None, "judged": False}),
        ({"effect": "irreversible"}, {"effect": Effect.IRREVERSIBLE, "judged": True}),
        ({"effect": "irreversible", "review": Review(judged=False)}, {"judged": False}),
        ({"mode": "observe"}, {"mode": Mode.OBSERVE}),
        ({"arguments": Arguments(allow=["limit"])}, {"allow": frozenset({"limit"})}),
        ({"key": "query"}, {"key": "query"}),
        ({"remote": Remote(key_life=timedelta(hours=1))}, {"key_life": timedelta(hours=1)}),
        ({"remote": {"key_life": 60}}, {"key_life": timedelta(minutes=1)}),
        ({"undoing": Undoing(loses="answers")}, {"loses": ("answers",)}),
        ({"failures": Failures(docs=["See there."])}, {"docs": ("Find it.", "See there.")}),
        (
            {"failures": Failures(returns=list[str])},
            {"returns": {"type": "array", "items": {"type": "string"}}},
        ),
        ({"arguments": Arguments(schema={"type": "object"})}, {"schema": {"type": "object"}}),
    ],
)
def test_what_is_declared_is_read_as_its_field_says(
    said: Mapping[str, object], kept: Mapping[str, object]
) -> None:
    declared = declare(find, **said)

    assert {name: read(declared, name) for name in kept} == kept


def test_a_function_that_says_the_effect_is_kept_and_the_gravest_is_assumed() -> None:
    declared = declare(find, effect=lambda record: Effect.READ)

    assert declared.effect is Effect.IRREVERSIBLE
    assert declared.review.judged
    assert declared.classify_effect({"query": "x"}) is Effect.READ


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"efect": "read"}, "@m.tool knows no 'efect'"),
        (
            {"effect": "writes"},
            "effect='writes' is nothing that find could be. Use one of: 'read', ",
        ),
        ({"review": Review(on_no_verdict="maybe")}, "on_no_verdict='maybe'.* 'proceed', 'undo'"),
        ({"arguments": Arguments(allow="limit")}, r"allow=\['limit'\]"),
        ({"arguments": Arguments(allow=["limt"])}, "'limt', which is no parameter of find"),
        ({"each": "queries"}, "each names 'queries', which is no parameter of find"),
        ({"failures": Failures(returns=3)}, "returns=3 is no schema"),
        ({"arguments": Arguments(schema=list)}, "is no schema"),
        ({"failures": Failures(error_rules="sold out")}, "Rules for errors are a list"),
        ({"lands_within": 3}, r"takes lands_within in a group: remote=Remote\(lands_within=…\)"),
        ({"review": True}, "review=True is no Review, which has: judged, on_no_verdict"),
        ({"remote": {"lands": 3}}, "is no Remote, which has: lands_within"),
        ({"effect": "reversible"}, "is REVERSIBLE but has no undo"),
        ({"effect": "reversible", "undo": print}, "no way to prove"),
        ({"effect": "read", "undo": print, "read": print}, "not READ"),
        (
            {"effect": "reversible", "undo": print, "read": print, "if_version": "query"},
            "has if_version, but nothing to take it from",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_way_out(
    said: Mapping[str, object], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        declare(find, **said)


class Account:
    def undo(self, record: Record) -> None: ...

    def __call__(self, record: Record, /, *, hard: bool = False) -> None: ...


def undo_for(user: str, record: Record) -> None: ...


class Nonsense:
    """Of no type that any option takes."""


@pytest.mark.parametrize("name", sorted({*FLAT, *GROUPS}))
def test_every_option_refuses_a_value_of_another_type_and_names_itself(name: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        declare(find, **say(name, Nonsense()))


@pytest.mark.parametrize(
    ("name", "said"), [("docs", [3]), ("loses", [None]), ("allow", [3]), ("key", 3)]
)
def test_what_is_in_a_list_is_text(name: str, said: object) -> None:
    def take_anything(**given: object) -> None: ...

    with pytest.raises(ConfigurationError):
        declare(take_anything, **say(name, said))


@pytest.mark.parametrize("said", ["", "  ", 7, "Move {place}", "Move {day", "{}"])
def test_a_description_that_cannot_be_filled_in_is_refused(said: object) -> None:
    def move(event: str, day: str) -> None: ...

    with pytest.raises(ConfigurationError, match="describe"):
        declare(move, describe=said)


@pytest.mark.parametrize("said", ["Move {event} to {day}", "Move it", lambda record: "Move"])
def test_a_description_is_a_sentence_or_a_function(said: object) -> None:
    def move(event: str, day: str) -> None: ...

    assert declare(move, describe=said).describe is said


def test_names_and_defaults_keep_no_secret() -> None:
    def charge(amount: int = 5, api_key: str = "sk_live_abcdefghijklmnop") -> None:
        """A tool."""

    said = declare(charge, server="https://bob:hunter2@pay.example/mcp?token=abc", name="pay")

    assert said.server == "https://<credentials>@pay.example/mcp?<query>"
    assert said.arguments.schema["properties"] == {
        "amount": {"type": "integer", "default": 5},
        "api_key": {"type": "string"},
    }
    assert "sk_live" not in str(said.arguments.schema)


@pytest.mark.parametrize(
    ("hide", "shown"),
    [
        (Hide.SECRETS, "mail of ann@example.com at https://<credentials>@host"),
        (Hide.PERSONAL, "mail of <email> at https://<credentials>@host"),
    ],
)
def test_names_are_shown_less_what_the_application_hides(hide: Hide, shown: str) -> None:
    server = "mail of ann@example.com at https://bob:hunter2@host"

    found = hide_names(declare(print, server=server), hide=hide)

    assert found.server == shown
    assert found.tool == "print"


TIMES = ("key_life", "lands_within", "settles_within", "answers_within")


@pytest.mark.parametrize("name", TIMES)
def test_a_time_is_a_plain_number_of_seconds_and_nothing_that_nobody_could_keep_to(
    name: str,
) -> None:
    assert read(declare(find, **say(name, 1.5)), name) == timedelta(seconds=1.5)
    for wrong in (-1, timedelta(seconds=-1), "5", True, float("nan"), None):
        with pytest.raises(ConfigurationError, match=name):
            declare(find, **say(name, wrong))


@pytest.mark.parametrize(
    ("name", "said", "wanted"),
    [
        ("requests", 7, "requests"),
        ("requests", "1", "requests"),
        ("undo", lambda: None, r"undo.*\(record\)"),
        ("undo", Account.undo, r"undo.*\(record\)"),
        ("undo", undo_for, r"undo.*\(record\)"),
        ("undo", lambda record, *, user: None, r"undo.*\(record\)"),
        ("same", lambda state: True, r"same.*\(state, other\)"),
        ("in_progress", lambda: True, r"in_progress.*\(error\)"),
        ("effect", lambda: Effect.READ, "effect"),
        ("describe", lambda: "x", "describe"),
    ],
)
def test_what_could_not_be_called_when_it_is_needed_is_refused(
    name: str, said: object, wanted: str
) -> None:
    with pytest.raises(ConfigurationError, match=wanted):
        declare(find, **say(name, said))


@pytest.mark.parametrize(
    "function",
    [Account().undo, Account(), partial(undo_for, "ann"), lambda *args: None, dict, print],
)
def test_what_takes_a_record_is_a_function_of_it(function: Callable[..., object]) -> None:
    assert declare(find, undo=function, read=function).callbacks.undo is function


Key = NewType("Key", str)


def by_position(day: str, key: str, /) -> None: ...
def before_the_rest(day: str, key: str = "", *more: str) -> None: ...
def numbered(day: str, key: int) -> None: ...
def required(day: str, key: str, if_version: str) -> None: ...


@pytest.mark.parametrize(
    ("tool", "named", "why"),
    [
        (by_position, {"key": "key"}, "takes 'key' by its position"),
        (before_the_rest, {"key": "key"}, "takes 'key' by its position"),
        (before_the_rest, {"key": "more"}, "without a name of its own"),
        (numbered, {"key": "key"}, "annotate 'key' with str"),
        (required, {"if_version": "if_version"}, "has no default for 'if_version'"),
        (required, {"key": "key", "if_version": "key"}, "names 'key' twice: if_version=…"),
        (required, {"key": "taken"}, "names 'taken' twice: key=…"),
    ],
)
def test_what_could_not_be_ours_to_fill_is_refused_with_the_reason(
    tool: Callable[..., object], named: dict[str, str], why: str
) -> None:
    assert why in find_misfit(tool, named, taken={"taken", None})


def test_text_of_any_kind_may_carry_the_key() -> None:
    def plain(key) -> None: ...
    def optional(key: str | None = None) -> None: ...
    def named(key: Key) -> None: ...
    def noted(key: Annotated[str, "at most 40"]) -> None: ...
    def anything(**more: object) -> None: ...

    for tool in (plain, optional, named, noted, anything):
        assert find_misfit(tool, {"key": "key"}, taken=()) == ""


def test_a_declaration_that_could_not_be_kept_is_refused_when_it_is_made() -> None:
    with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="'numbered' has a key that is no text"):
            m.tool(effect=Effect.READ, key="key")(numbered)
        with pytest.raises(ConfigurationError, match="names 'day' twice: key=…"):
            m.tool(effect=Effect.READ, key="day", arguments=Arguments(leave_out=["day"]))(numbered)
        with pytest.raises(ConfigurationError, match="nothing that a framework fills"):
            m.tool(effect=Effect.READ, arguments=Arguments(provide=lambda record: {}))(numbered)
        with pytest.raises(ConfigurationError, match="mapping of what a framework fills: day"):
            m.tool(effect=Effect.READ, arguments=Arguments(leave_out=["day"], provide={"key": 1}))(
                numbered
            )


def send_mail(to: str) -> None: ...


def send_text(to: str) -> None: ...


def without_wraps(function):
    def inner(*args: object) -> object:
        return function(*args)

    return inner


class Notify:
    def __call__(self, to: str) -> None: ...


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
