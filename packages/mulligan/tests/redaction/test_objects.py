from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from mulligan.redaction.values import is_record, read_attributes, read_enum_value, read_tuple_names


class Seat(NamedTuple):
    row: int
    number: int


@dataclass
class Guest:
    name: str


class Slotted:
    __slots__ = ("name", "unset")

    def __init__(self) -> None:
        self.name = "Ann"


class Watched:
    def __init__(self) -> None:
        self.name = "Ann"

    @property
    def secret(self) -> str:
        raise AssertionError("a property was run")

    def __getattribute__(self, name: str) -> object:
        raise AssertionError("an object's own code was run")


class Colour(Enum):
    RED = "r"


def test_attributes_and_slots_are_read_and_nothing_of_the_object_is_run() -> None:
    assert read_attributes(Guest("Ann")) == {"name": "Ann"}
    assert read_attributes(Slotted()) == {"name": "Ann"}
    watched = object.__new__(Watched)
    object.__getattribute__(watched, "__dict__")["name"] = "Ann"
    assert read_attributes(watched) == {"name": "Ann"}


def test_a_record_is_a_class_whose_attributes_are_its_data() -> None:
    assert is_record(Guest)
    assert not is_record(Slotted)
    assert not is_record(dict)


def test_a_named_tuple_has_names_and_a_member_has_a_value() -> None:
    assert read_tuple_names(Seat) == ("row", "number")
    assert read_tuple_names(tuple) is None
    assert read_enum_value(Colour.RED) == "r"
    assert read_enum_value(7) is None
