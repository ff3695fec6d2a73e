"""What of a call is written down: the allowlist, the stubs, the names, the bounds."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from types import MappingProxyType, SimpleNamespace
from typing import NamedTuple
from uuid import UUID

import pytest

from mulligan.redaction import Capture, Hide, Redactor
from mulligan.redaction.values import Keys, Stubs
from mulligan.types.errors import ConfigurationError

pytestmark = pytest.mark.promise(8)

KEY = b"a key of thirty-two bytes, no less"
AN_ID = "550e8400-e29b-41d4-a716-446655440000"
HIDDEN = "<hidden>"


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Shape(Enum):
    ROUND = ("round",)


@dataclass
class Guest:
    name: str
    password: str = "hunter2"
    age: int = 7


@dataclass(slots=True)
class Slotted:
    name: str
    pin: int = 1234


class Seat(NamedTuple):
    row: int
    token: str


class Model:
    """As pydantic makes them: data in `__dict__`, fields on the class."""

    __pydantic_fields__ = ("name",)

    def __init__(self) -> None:
        self.name = "Anna"
        self.api_key = "abc"

    @property
    def computed(self) -> str:
        raise RuntimeError("asked")


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(key=KEY)


def shown(redactor: Redactor, value: object) -> object:
    return json.loads(redactor.redact_parameters({"value": value}))["value"]


@pytest.mark.parametrize(
    "value", [0, 7, -7, 99_999_999, 1.5, True, False, None, [1, [2.5, None]], {"a": {"b": 1}}]
)
def test_small_numbers_and_booleans_are_raw(redactor, value):
    assert shown(redactor, value) == value


@pytest.mark.parametrize("value", [1_763_280_000, 1_763_280_000_123, 1_763_280_000.5, 10**8])
def test_epochs_and_ids_are_raw_unless_everything_is_hidden(redactor, value):
    assert shown(redactor, value) == value
    assert str(shown(Redactor(key=KEY, hide=Hide.ALL), value)).startswith("<")


def test_a_number_that_its_name_calls_a_phone_is_a_stub(redactor):
    logged = json.loads(redactor.redact_parameters({"phone": 6505551234, "to": {"fax": 30123456}}))

    assert str(logged["phone"]).startswith("<int 10 #")
    assert str(logged["to"]["fax"]).startswith("<int 8 #")


def test_what_is_hidden_is_a_choice_of_three():
    text = "bob@example.org has 4111111111111111 and 550e8400-e29b-41d4-a716-446655440000"

    texts = {hide: Redactor(key=KEY, hide=hide).redact_text(text) for hide in Hide}

    assert texts[Hide.SECRETS] == text.replace("4111111111111111", "<card>")
    assert texts[Hide.PERSONAL] == texts[Hide.SECRETS].replace("bob@example.org", "<email>")
    assert texts[Hide.ALL] == texts[Hide.PERSONAL].replace(AN_ID, "<uuid>")


def test_a_string_is_its_type_its_length_and_a_hash(redactor):
    stub = shown(redactor, "Dinner at Anna")

    assert stub == shown(Redactor(key=KEY), "Dinner at Anna")
    assert stub.startswith("<str 14 #")
    assert len(stub) == len("<str 14 #3f9a2b1c8d7e>")
    assert stub != shown(redactor, "Dinner at Bert")
    assert stub != shown(Redactor(key=KEY + b"!"), "Dinner at Anna")


def test_a_stub_is_the_same_wherever_the_string_stands(redactor):
    places = redactor.redact_parameters(
        {"a": "Anna", "b": ["Anna"], "c": {"d": "Anna", "e": [["Anna"]]}}
    )

    stub = shown(redactor, "Anna")

    assert json.loads(places) == {"a": stub, "b": [stub], "c": {"d": stub, "e": [[stub]]}}
    assert json.loads(redactor.redact_result("Anna")) == stub


@pytest.mark.parametrize(
    ("value", "start"),
    [
        (4111111111111111, "<int 16 #"),
        (-4111111111111111, "<int 17 #"),
        (4111111111111111.0, "<float "),
        pytest.param(10**5000, "<int 16610 bits #", id="huge"),
        (b"abc", "<bytes 3 #"),
        (Decimal("1.5"), "<Decimal 3 #"),
        (datetime(2026, 11, 16, tzinfo=UTC), "<datetime 25 #"),
        (timedelta(days=1), "<timedelta "),
        (Path("/home/anna"), "<PosixPath 10 #"),
        pytest.param("x" * 100_000, "<str 100000 #", id="long"),
    ],
)
def test_other_values_are_stubs_of_their_type(redactor, value, start):
    stub = shown(redactor, value)

    assert stub.startswith(start)
    assert stub.endswith(">")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "<nan>"),
        (float("inf"), "<inf>"),
        (object(), "<object>"),
        ((n for n in ()), "<generator>"),
        (SimpleNamespace(password="x"), "<SimpleNamespace>"),
        (Shape.ROUND, "<Shape>"),
    ],
)
def test_what_has_no_json_is_named(redactor, value, text):
    assert shown(redactor, value) == text


def test_enum_members_are_raw_by_value(redactor):
    assert shown(redactor, [Colour.RED, Level.HIGH]) == ["red", 3]


def test_declared_values_of_a_parameter_are_raw_and_others_are_not(redactor):
    enums = {"unit": frozenset({"day", "week"})}

    line = redactor.redact_parameters({"unit": "day", "other": "day", "a": 1}, enums=enums)
    nested = redactor.redact_parameters({"unit": ["week", "bob"]}, enums=enums)

    assert json.loads(line)["unit"] == "day"
    assert json.loads(line)["other"].startswith("<str 3 #")
    assert json.loads(nested)["unit"][0] == "week"
    assert json.loads(nested)["unit"][1].startswith("<str 3 #")


def test_allowed_parameters_are_raw_less_secrets():
    redactor = Redactor(key=KEY, allow=["city"])
    arguments = {"city": "Trento, bob@x.org", "place": {"zip": "38122", "pin": "1"}, "x": "y"}

    line = json.loads(redactor.redact_parameters(arguments, allow=frozenset({"place"})))

    assert line["city"] == "Trento, <email>"
    assert line["place"] == {"zip": "38122", "pin": HIDDEN}
    assert line["x"].startswith("<str 1 #")


def test_a_secret_name_hides_whatever_is_there_even_if_it_is_allowed():
    redactor = Redactor(key=KEY, allow=["password"])
    arguments = {"password": "x", "pin": 1, "auth": {"a": 1}, "Api-Key": ["x"], "token": True}

    line = redactor.redact_parameters(arguments, enums={"password": frozenset({"x"})})

    assert set(json.loads(line).values()) == {HIDDEN}


def test_counts_of_secrets_are_shown_where_they_are_small_numbers(redactor):
    arguments = {"max_tokens": 512, "tokens": ["abc"], "session_count": 10**9}

    assert json.loads(redactor.redact_parameters(arguments)) == {
        "max_tokens": 512,
        "tokens": HIDDEN,
        "session_count": HIDDEN,
    }


@pytest.mark.parametrize("name", ["id", "event_id", "eventId"])
def test_uuids_are_raw_under_the_name_of_an_id(redactor, name):
    assert json.loads(redactor.redact_parameters({name: AN_ID})) == {name: AN_ID}
    assert json.loads(redactor.redact_parameters({"x": {name: AN_ID}})) == {"x": {name: AN_ID}}
    assert json.loads(redactor.redact_parameters({name + "s": [AN_ID]})) == {name + "s": [AN_ID]}
    assert json.loads(redactor.redact_parameters({name: AN_ID[:-1] + "x"}))[name].startswith(
        "<str 36"
    )


def test_uuids_elsewhere_are_stubs_unless_they_are_objects(redactor):
    assert shown(redactor, AN_ID).startswith("<str 36 #")
    assert shown(redactor, UUID(AN_ID)) == AN_ID
    assert json.loads(redactor.redact_parameters({"session_id": AN_ID})) == {"session_id": HIDDEN}


def test_keys_that_are_data_become_stubs(redactor):
    value = {"bob@x.org": 1, "title": 2, "sk-ant-abcdefghijklmnopqrst": 3, 7: 4, None: 5, (1,): 6}

    keys = list(shown(redactor, value))

    assert keys[1] == "title"
    assert keys[0].startswith("<str 9 #")
    assert keys[2].startswith("<str 27 #")
    assert keys[3:] == ["7", "None", "<tuple>"]
    assert next(iter(json.loads(redactor.redact_parameters({"bob@x.org": 1})))).startswith(
        "<str 9 #"
    )


def test_keys_that_look_alike_are_all_kept(redactor):
    assert shown(redactor, {(1,): 1, (2,): 2}) == {"<tuple>": 1, "<tuple> 1": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (deque([1]), [1]),
        (OrderedDict(a=1), {"a": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (Seat(4, "x"), {"row": 4, "token": HIDDEN}),
    ],
)
def test_containers_of_every_kind_are_walked(redactor, value, expected):
    assert shown(redactor, value) == expected


def test_records_are_read_without_running_their_code(redactor):
    guest, slotted, model = (shown(redactor, v) for v in (Guest("A"), Slotted("A"), Model()))

    assert (guest["password"], guest["age"], slotted["pin"]) == (HIDDEN, 7, HIDDEN)
    assert guest["name"] == slotted["name"] == shown(redactor, "A")
    assert set(model) == {"name", "api_key"}
    assert model["api_key"] == HIDDEN
    assert shown(redactor, object.__new__(Slotted)) == {}


def test_what_is_cut_is_marked(redactor):
    assert shown(redactor, list(range(3_234)))[-1] == "<… 1,234 more>"
    assert shown(redactor, dict.fromkeys(map(str, range(2_001)), 1))["<…>"] == "<… 1 more>"


def test_full_capture_shows_text_less_secrets():
    redactor = Redactor(key=KEY, capture=Capture.FULL)
    arguments = {
        "title": "Dinner",
        "mail": "to bob@x.org",
        "password": "x",
        "when": date(2026, 11, 16),
        "card": 1,
        "number": 4111111111111111,
    }

    line = json.loads(redactor.redact_parameters(arguments))

    assert line["number"].startswith("<int 16 #")
    assert {k: v for k, v in line.items() if k != "number"} == {
        "title": "Dinner",
        "mail": "to <email>",
        "password": HIDDEN,
        "when": "2026-11-16",
        "card": HIDDEN,
    }


def test_a_judge_gets_raw_values_less_secrets(redactor):
    value = {"title": "Dinner", "notes": ["pin: 1234"], "auth": "x", "who": Guest("Anna")}

    assert redactor.redact_value(value) == {
        "title": "Dinner",
        "notes": ["pin: <hidden>"],
        "auth": HIDDEN,
        "who": {"name": "Anna", "password": HIDDEN, "age": 7},
    }


def test_text_is_scrubbed_and_cut(redactor):
    assert redactor.redact_text("write to bob@x.org") == "write to <email>"
    assert len(redactor.redact_text("long " * 10_000)) < 2_100


def test_a_label_is_one_line_of_at_most_a_hundred(redactor):
    assert redactor.redact_label("calendar\nserver") == "calendar server"
    assert redactor.redact_label("bob@x.org") == "<email>"
    assert len(redactor.redact_label("x " * 500)) == 100


def test_a_key_that_could_be_guessed_is_refused():
    with pytest.raises(ConfigurationError, match="has 5 bytes"):
        Redactor(key=b"short")


def test_one_argument_that_fails_leaves_the_others(redactor):
    class Lying(dict):
        pass

    broken = MappingProxyType(Broken())

    line = json.loads(redactor.redact_parameters({"a": 1, "b": broken, "c": Lying(d=2)}))

    assert line == {"a": 1, "b": "<redaction failed>", "c": {"d": 2}}


class Broken(dict):
    def items(self):
        raise RuntimeError("no")


def test_arguments_that_cannot_be_read_are_marked(redactor):
    assert redactor.redact_parameters(Broken(a=1)) == '"<redaction failed>"'


def test_very_long_values_count_by_their_ends_and_their_length():
    stubs, long = Stubs(KEY), "a" * 100_000

    assert stubs.hash_text(long) != stubs.hash_text(f"{long[:-1]}b")
    assert stubs.hash_text(long) != stubs.hash_text(f"{long}a")
    assert stubs.hash_integer(10**6_000) != stubs.hash_integer(10**6_000 + 1)
    assert Stubs(b"k" * 500).hash_text("a") != Stubs(b"k" * 501).hash_text("a")


def test_only_so_many_names_are_remembered():
    keys = Keys(Stubs(KEY))
    for letters in list(product(ascii_lowercase, repeat=3))[:4_096]:
        keys.classify(f"colour_{''.join(letters)}")

    keys.classify("limit")

    assert keys.open == {"limit"}
