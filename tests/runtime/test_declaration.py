"""Everything that can be said of a tool is kept, and nothing that is kept was never asked for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, get_type_hints

import pytest

from mulligan import Effect, Failures, Mode, Mulligan, Remote, Review, Undoing
from mulligan.redaction import Hide
from mulligan.runtime.declaration import Declaration, Declared, declare, hide_names
from mulligan.runtime.tool_settings import is_derived
from mulligan.types.call import DeclaredCallbacks, ToolCallbacks
from mulligan.types.errors import ConfigurationError

KEPT = set(Declaration.__struct_fields__)
ABLE = set(ToolCallbacks.__struct_fields__)


def find(query: str, limit: int = 3) -> list[str]:
    """Find it."""
    return [query] * limit


def test_every_name_that_a_tool_may_declare_is_kept() -> None:
    assert set(Declared.__annotations__) - KEPT - ABLE == {"name"}
    assert set(DeclaredCallbacks.__annotations__) == ABLE


def test_whatever_is_kept_was_declared_or_follows_from_it() -> None:
    follows = {name for name in KEPT if is_derived(Declaration, name)}

    assert set(Declared.__annotations__) >= KEPT - follows


def test_what_is_not_declared_has_its_default() -> None:
    declared, plain = declare(find), Declaration(tool="find")

    changed = {n for n in KEPT if getattr(declared, n) != getattr(plain, n)}

    assert changed == {"hints", "schema", "docs"}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"name": "search"}, {"tool": "search"}),
        ({"effect": "read"}, {"effect": Effect.READ, "effect_of": None, "review": False}),
        ({"effect": "irreversible"}, {"effect": Effect.IRREVERSIBLE, "review": True}),
        ({"effect": "irreversible", "review": False}, {"review": False}),
        ({"mode": "observe"}, {"mode": Mode.OBSERVE}),
        ({"allow": ["limit"]}, {"allow": frozenset({"limit"})}),
        ({"key": "query"}, {"key": "query"}),
        (
            {"remote": Remote(key_life=timedelta(hours=1))},
            {"remote": Remote(key_life=timedelta(hours=1))},
        ),
        ({"undoing": Undoing(loses="answers")}, {"undoing": Undoing(loses=("answers",))}),
        ({"docs": ["See there."]}, {"docs": ("Find it.", "See there.")}),
        ({"returns": list[str]}, {"returns": {"type": "array", "items": {"type": "string"}}}),
        ({"schema": {"type": "object"}}, {"schema": {"type": "object"}}),
    ],
)
def test_what_is_declared_is_read_as_its_field_says(
    said: Mapping[str, object], kept: Mapping[str, object]
) -> None:
    declared = declare(find, **said)

    assert {name: getattr(declared, name) for name in kept} == kept


def test_a_function_that_says_the_effect_is_kept_and_the_gravest_is_assumed() -> None:
    declared = declare(find, effect=lambda record: Effect.READ)

    assert declared.effect is Effect.IRREVERSIBLE
    assert declared.review
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
        ({"allow": "limit"}, r"allow=\['limit'\]"),
        ({"allow": ["limt"]}, "allow names 'limt', which is no parameter of find"),
        ({"each": "queries"}, "each names 'queries', which is no parameter of find"),
        ({"returns": 3}, "returns=3 is no schema"),
        ({"schema": list}, "is no schema"),
        ({"error_rules": "sold out"}, "Rules for errors are a list"),
        ({"effect": "reversible"}, "is REVERSIBLE but has no undo"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_way_out(
    said: Mapping[str, object], says: str
) -> None:
    with pytest.raises(ConfigurationError, match=says):
        declare(find, **said)


class Nonsense:
    """Of no type that any option takes."""


@pytest.mark.parametrize("name", sorted(get_type_hints(Declared)))
def test_every_option_refuses_a_value_of_another_type_and_names_itself(name: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        declare(find, **{name: Nonsense()})


@pytest.mark.parametrize(
    "name", [n for n, hint in get_type_hints(Declared).items() if hint is bool]
)
@pytest.mark.parametrize("value", ["no", "false", 0, 1, None])
def test_an_option_that_is_true_or_false_takes_nothing_else(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}={value!r} is not True or False"):
        declare(find, **{name: value})


@pytest.mark.parametrize(
    "said", [{"docs": [3]}, {"undoing": Undoing(loses=[None])}, {"allow": [3]}, {"key": 3}]
)
def test_what_is_in_a_list_is_text(said: Mapping[str, object]) -> None:
    def take_anything(**given: object) -> None: ...

    with pytest.raises(ConfigurationError):
        declare(take_anything, **said)


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"effect": Effect.REVERSIBLE}, "no undo"),
        ({"effect": Effect.REVERSIBLE, "undo": print}, "no way to prove"),
        ({"effect": Effect.READ, "undo": print, "read": print}, "not READ"),
        ({"undoo": print}, "knows no 'undoo'"),
    ],
)
def test_what_a_declaration_cannot_keep_is_refused_when_it_is_declared(declared, says) -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match=says):
        m.tool(**declared)(lambda: None)


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
def test_a_plain_number_is_one_of_seconds(name: str) -> None:
    said: Any = {name: 1.5}

    assert getattr(declare(find, **said), name) == timedelta(seconds=1.5)


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("wrong", [-1, timedelta(seconds=-1), "5", True, float("nan"), None])
def test_a_time_that_nobody_could_keep_to_is_refused_where_it_is_said(
    name: str, wrong: object
) -> None:
    said: Any = {name: wrong}

    with pytest.raises(ConfigurationError, match=name):
        declare(find, **said)


@pytest.mark.parametrize(
    "said",
    [
        {"requests": 7}, {"requests": "1"}, {"deletes": "no"}, {"failures": Failures(may_be_empty=0)}, {"name": 3},
        {"server": 3}, {"undoing": Undoing(loses=3)}, {"allow": 3}, {"undo": 3}, {"version": "etag"},
        {"about": "x"}, {"read": lambda: 1}, {"same": lambda state: True}, {"describe": 3},
        {"effect": lambda: Effect.READ}, {"describe": lambda: "x"}, {"key": 3},
    ],
)  # fmt: skip
def test_what_could_never_be_kept_is_refused_where_it_is_said(said: Any) -> None:
    (name,) = said

    with pytest.raises(ConfigurationError, match=name):
        declare(find, **said)
