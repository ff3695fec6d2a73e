from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from pkgutil import walk_packages
from typing import Any, Generic, TypeVar

import pytest

from mulligan import types
from mulligan.process.lazy import dataclass

CORE = sorted(each.name for each in walk_packages(types.__path__, "mulligan.types."))
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something in a calendar."""

    title: str
    day: int = 1
    guests: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Event):
    """An event with a room."""

    room: str


@dataclass(slots=True)
class Counter:
    """A number that changes."""

    n: int
    step: int = 1
    seen: list[int] = field(init=False, default_factory=list)
    doubled: int = field(init=False)

    def __post_init__(self) -> None:
        self.doubled = self.n * 2


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    """One thing."""

    held: T


def list_words() -> list[type]:
    """Every dataclass of the core."""
    found = [importlib.import_module(name) for name in CORE]
    return [
        each
        for at in found
        for each in vars(at).values()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == at.__name__
    ]


def build_anew(word: Any) -> Any:
    """The same fields as the standard library makes a class of them."""
    listed = [(each.name, each.type, copy.copy(each)) for each in fields(word)]
    return dataclasses.make_dataclass(
        word.__name__, listed, frozen=word.__dataclass_params__.frozen
    )


@pytest.mark.parametrize("word", list_words(), ids=lambda word: word.__name__)
def test_every_word_of_the_core_is_made_as_the_standard_library_would_have_it(word: type) -> None:
    own, theirs = inspect.signature(word), inspect.signature(build_anew(word))

    assert str(own) == str(theirs)
    assert own.parameters.keys() == theirs.parameters.keys()


def test_an_init_is_written_when_the_first_object_is_made() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        a: int

    before = vars(Late)["__init__"]
    made = Late(3)

    assert made.a == 3
    assert not inspect.isfunction(before)
    assert inspect.isfunction(vars(Late)["__init__"])


def test_a_value_that_is_left_out_is_the_default_or_made_anew_for_each() -> None:
    one, two = Event(title="Dinner"), Event(title="Lunch")

    one.guests.append("Ann")

    assert (two.day, two.guests, two.secret) == (1, [], "")


def test_what_comes_after_an_init_and_what_it_does_not_take_are_kept_to() -> None:
    counter = Counter(2, step=3)

    assert (counter.n, counter.step, counter.seen, counter.doubled) == (2, 3, [], 4)
    with pytest.raises(TypeError, match="seen"):
        Counter(2, seen=[])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, r"Event.__init__\(\) missing 1 required keyword-only argument: 'title'"),
        ({"title": "a", "tilte": "b"}, r"unexpected keyword argument 'tilte'"),
    ],
)
def test_who_makes_one_wrongly_is_told_as_ever(given: dict, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Event(**given)
    with pytest.raises(TypeError, match="positional"):
        Event("Dinner")


def test_one_is_shown_with_its_fields_less_those_that_are_not_shown() -> None:
    nested = Box(held=[])
    nested.held.append(nested)

    assert repr(Event(title="Dinner", secret="x")) == "Event(title='Dinner', day=1, guests=[])"
    assert repr(Meeting(title="a", room="b")) == "Meeting(title='a', day=1, guests=[], room='b')"
    assert repr(nested) == "Box(held=[...])"


def test_equal_are_those_of_one_class_with_equal_fields() -> None:
    nan = float("nan")

    assert Event(title="a", guests=["Ann"]) == Event(title="a")
    assert Event(title="a") != Event(title="b")
    assert Event(title="a") != Meeting(title="a", room="")
    assert Box(1) != 1
    assert Box(nan) == Box(nan)
    assert len({Event(title="a"), Event(title="a"), Event(title="b")}) == 2


def test_only_what_cannot_change_is_hashed() -> None:
    @dataclass(slots=True, eq=False)
    class ByItself:
        n: int

    one = ByItself(1)

    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter(1))
    assert one != ByItself(1)
    assert len({one, one}) == 1


def test_methods_of_a_class_are_its_own() -> None:
    @dataclass(frozen=True)
    class Odd:
        n: int

        def __init__(self) -> None:
            object.__setattr__(self, "n", 7)

        def __repr__(self) -> str:
            return "odd"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Odd)

        def __hash__(self) -> int:
            return 5

    assert (repr(Odd()), hash(Odd()), Odd().n) == ("odd", 5, 7)
    assert Odd() == Odd()


@pytest.mark.parametrize("frozen", [Event(title="a"), Meeting(title="a", room="b")])
def test_what_is_frozen_cannot_be_changed(frozen: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'title'"):
        frozen.title = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'title'"):
        del frozen.title
    with pytest.raises(FrozenInstanceError):
        frozen.tilte = "b"


def test_a_plain_class_that_comes_of_a_frozen_one_has_attributes_of_its_own() -> None:
    class Marked(Event):
        pass

    marked = Marked(title="a")
    marked.mark = 1
    del marked.mark

    assert not hasattr(marked, "mark")
    with pytest.raises(FrozenInstanceError):
        marked.title = "b"


def test_a_dataclass_of_the_standard_library_may_come_of_one() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Party(Event):
        cake: bool = True

    party = Party(title="a", day=2)

    assert (party.title, party.day, party.cake) == ("a", 2, True)
    with pytest.raises(TypeError, match="non-frozen"):
        dataclasses.dataclass(type("Loose", (Event,), {}))


@pytest.mark.parametrize("value", [Event(title="a", day=3), Meeting(title="a", room="b")])
def test_one_can_be_copied_pickled_and_taken_apart(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == copy.copy(value) == value
    assert replace(value, title="b").title == "b"
    assert type(value)(**asdict(value)) == value


def test_one_that_changes_can_be_copied_too() -> None:
    counter = Counter(1)

    twin = copy.copy(counter)
    twin.n = 5

    assert (counter.n, twin.doubled) == (1, 2)


def test_a_pattern_matches_its_places() -> None:
    match Box(held=4):
        case Box(held):
            assert held == 4
    assert Counter.__match_args__ == ("n", "step")
    assert Event.__match_args__ == ()


def test_there_is_a_place_for_a_weak_reference_where_one_is_asked_for() -> None:
    @dataclass(frozen=True, slots=True, weakref_slot=True)
    class Watched:
        n: int

    watched = Watched(1)

    assert weakref.ref(watched)() is watched
    assert not hasattr(watched, "__dict__")


def test_threads_that_make_the_first_at_once_all_get_theirs() -> None:
    @dataclass(frozen=True, slots=True)
    class Shared:
        n: int

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(Shared, range(64)))

    assert [each.n for each in made] == list(range(64))


def test_a_class_without_a_docstring_has_its_name() -> None:
    @dataclass
    class Silent:
        n: int

    assert Silent.__doc__ == "Silent"
    assert Silent(1) == Silent(n=1)
