"""Tests for what agents are told: less what their calls call a secret, and nothing else."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import pytest

from mulligan.redaction.redactor import hide_in_findings, hide_secrets
from mulligan.redaction.values import Keys, Stubs, is_open, remember_inside
from mulligan.types.finding import Finding, Severity


@dataclass
class Login:
    password: str


class Pair(NamedTuple):
    user: str
    password: str


class Headers(Mapping[str, str]):
    """A mapping of a library's own."""

    def __getitem__(self, name: str) -> str:
        return {"password": "swordfish"}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("password",))

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    "given",
    [
        {"password": "swordfish"},
        {"password": b"swordfish"},
        {"login": Login("swordfish")},
        {"login": Pair("ann", "swordfish")},
        {"login": UserDict({"password": "swordfish"})},
        {"login": Headers()},
        {"login": [{"deep": {"password": ("swordfish",)}}]},
        {"password": " swordfish\n"},
        {"text": "x" * 2_000_000, "password": "swordfish"},
        {"rows": [{"n": n} for n in range(20_000)], "password": "swordfish"},
    ],
    ids=lambda given: str(given)[:40],
)
def test_a_secret_is_hidden_in_whatever_it_was_given(given: object) -> None:
    told = hide_secrets("refused: swordfish is wrong", given)

    assert told == "refused: <hidden> is wrong"


def test_a_secret_is_hidden_in_a_text_of_a_class_of_its_own() -> None:
    class Marked(str):
        __slots__ = ()

    assert hide_secrets(Marked("no swordfish"), {"password": "swordfish"}) == "no <hidden>"


def test_a_short_secret_is_hidden_only_where_it_stands_alone() -> None:
    told = hide_secrets("order 43210 and 84321, not 4321", {"pin": "4321"})

    assert told == "order 43210 and 84321, not <hidden>"


def test_a_secret_is_hidden_where_its_end_was_cut_off() -> None:
    given = {"password": "correct horse battery staple"}

    told = hide_secrets("'correct horse bat…' and correct horse ba", given)

    assert told == "'<hidden>…' and <hidden>"


def test_what_only_begins_like_a_secret_stays() -> None:
    told = hide_secrets("try ORD-2026-000124", {"account_number": "ORD-2026-000123"})

    assert told == "try ORD-2026-000124"


@pytest.mark.parametrize(
    "given",
    [
        {"session": "morning"},
        {"auth": "Basic"},
        {"max_tokens": 4096},
        {"private": True},
        {"note": "morning"},
    ],
    ids=str,
)
def test_what_is_no_secret_in_prose_is_told(given: object) -> None:
    said = "Basic: 4096 True morning"

    assert hide_secrets(said, given) == said


class Counted(Mapping[str, str]):
    """Counts how often it is read."""

    def __init__(self) -> None:
        self.read = 0

    def __getitem__(self, name: str) -> str:
        return "swordfish"

    def __iter__(self) -> Iterator[str]:
        self.read += 1
        return iter(("password",))

    def __len__(self) -> int:
        return 1


def test_findings_are_told_by_one_reading_of_what_was_given() -> None:
    given = Counted()
    found = Finding(
        rule="note.wrong",
        severity=Severity.ERROR,
        issue="It is swordfish.",
        correction="Not swordfish.",
    )

    told = hide_in_findings([found] * 10, given)

    assert {(each.issue, each.correction) for each in told} == {
        ("It is <hidden>.", "Not <hidden>.")
    }
    assert given.read == 1


def test_what_cannot_be_read_leaves_nothing_to_tell() -> None:
    class Broken(Counted):
        def __iter__(self) -> Iterator[str]:
            raise RuntimeError

    assert hide_secrets("refused: swordfish", Broken()) == "<redaction failed>"


def test_what_is_called_open_has_no_secret_that_a_whole_reading_would_find() -> None:
    chance, keys, opened = Random(1), Keys(Stubs(bytes(16))), 0
    names = ("title", "day", "password", "pin", "api_key", "phone", "token_count", 7, None)
    values = ("Dinner", "hunter2", 4321, 2.5, True, None, ["swordfish"], {"secret": "swordfish"})
    for _ in range(2_000):
        given = {chance.choice(names): chance.choice(values) for _ in range(chance.randint(0, 3))}
        known: set[str] = set()
        remember_inside((given,), known, keys=keys)

        if is_open(given, keys=keys):
            opened += 1
            assert known == set(), given

    assert 0 < opened < 1_000
