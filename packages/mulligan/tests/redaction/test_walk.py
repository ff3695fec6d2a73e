"""Values nobody should pass to a tool, and somebody will: the call goes on, the row is a stub."""

from __future__ import annotations

import json
import threading
import time
from collections import UserDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from mulligan.redaction import Capture, Redactor

KEY = bytes(range(32))
FIELD = 65_536
MONSTERS: dict[str, Callable[[], object]] = {}


def monster(make: Callable[[], object]) -> Callable[[], object]:
    MONSTERS[make.__name__] = make
    return make


def _raises(*_: object, **__: object) -> object:
    raise RuntimeError("never ask me")


class RaisingText(str):
    __slots__ = ()
    __len__ = __str__ = __repr__ = __hash__ = __eq__ = __iter__ = encode = _raises  # type: ignore[assignment]


class RaisingDict(dict):
    __len__ = __iter__ = items = keys = values = __getitem__ = get = __repr__ = _raises


class RaisingList(list):
    __len__ = __iter__ = __getitem__ = __repr__ = __eq__ = _raises


class RaisingInt(int):
    __lt__ = __gt__ = __abs__ = __int__ = __index__ = __repr__ = __neg__ = bit_length = _raises


class RaisingObject:
    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = _raises
    __class__ = property(_raises)
    __dict__ = property(_raises)

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class SlowRepr:
    def __repr__(self) -> str:
        time.sleep(60)
        return ""


class Meta(type):
    __name__ = property(_raises)
    __mro__ = property(_raises)

    def __getattr__(cls, name: str) -> object:
        raise RuntimeError(name)


@dataclass
class Cyclic:
    me: object = None


class Property:
    __dataclass_fields__ = ("asked",)
    asked = property(_raises)


class Unstable(dict):
    """Another size each time it is looked at."""

    def items(self):
        self[len(self)] = 1
        return super().items()


@monster
def ten_megabytes():
    return "x" * 10_000_000


@monster
def ten_megabytes_of_bytes():
    return b"x" * 10_000_000


@monster
def ten_megabytes_of_secrets():
    return "bob@example.org " * 600_000


@monster
def a_million_items():
    return list(range(1_000_000))


@monster
def many_long_strings():
    return ["y" * 60_000] * 2_000


@monster
def quotes_that_double_in_json():
    return ['"\\' * 8_000] * 40


@monster
def wide_characters():
    return ["\U0001f600" * 16_000] * 10


@monster
def many_long_keys():
    return {f"{n:040d}": "v" for n in range(100_000)}


@monster
def a_cycle():
    cycle: list[object] = []
    cycle.append(cycle)
    return cycle


@monster
def a_branching_cycle():
    cycle: list[object] = []
    cycle += [cycle] * 10
    return {"a": cycle, "b": {"c": cycle}}


@monster
def a_dict_in_itself():
    cycle: dict[str, object] = {}
    cycle["me"] = cycle
    return cycle


@monster
def a_cyclic_dataclass():
    cycle = Cyclic()
    cycle.me = [cycle, cycle]
    return cycle


@monster
def a_hundred_thousand_deep():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


@monster
def a_hundred_thousand_dicts_deep():
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    return deep


@monster
def not_a_number():
    return [float("nan"), float("inf"), float("-inf"), complex("nan")]


@monster
def lone_surrogates():
    return {"\ud800": "\udfff", "a": ["\ud83d"]}


@monster
def nul_and_controls():
    return {"\x00": "\x00\x1b[2J\r\n\u202e", "a": "\x00" * 40_000}


@monster
def a_huge_number():
    return [10**5000, -(10**5000), 1 << 1_000_000]


@monster
def numbers_as_keys():
    return {10**5000: 1, 4111111111111111: 2, float("nan"): 3, -1: 4}


@monster
def text_whose_methods_raise():
    return [RaisingText("hunter2"), {"a": RaisingText("hunter2")}]


@monster
def containers_whose_methods_raise():
    return [RaisingDict(a="hunter2"), RaisingList(["hunter2"]), RaisingInt(4111111111111111)]


@monster
def an_object_that_raises_at_every_touch():
    return RaisingObject()


@monster
def a_slow_repr():
    return [SlowRepr()] * 100


@monster
def a_class_with_a_hostile_name():
    return [type("</script>\x1b[2J" * 1_000, (), {})(), type("sk_live_abcdefghijklmnop", (), {})()]


@monster
def a_class_with_a_hostile_metaclass():
    return Meta("Plain", (), {})()


@monster
def a_property_that_raises():
    return Property()


@monster
def an_endless_generator():
    return iter(int, 1)


@monster
def locks_and_files():
    return [threading.Lock(), threading.current_thread(), open, threading]


@monster
def a_mapping_that_changes_under_the_eye():
    return MappingProxyType(Unstable(a=1))


@monster
def mappings_that_are_no_dicts():
    return [UserDict(a="hunter2"), defaultdict(list, a=["hunter2"])]


@monster
def exceptions_and_classes():
    return [ValueError("hunter2"), ValueError, memoryview(b"hunter2")]


@pytest.mark.parametrize("capture", list(Capture))
@pytest.mark.parametrize("name", list(MONSTERS))
def test_a_monster_becomes_valid_json_within_bounds(name, capture):
    redactor = Redactor(key=KEY, capture=capture)
    value = MONSTERS[name]()

    started = time.process_time()
    lines = [redactor.redact_parameters({"value": value, "n": 1}), redactor.redact_result(value)]
    error = redactor.redact_error(ValueError("no"), arguments={"value": value})
    spent = time.process_time() - started

    first, second = (json.loads(line) for line in lines)
    assert first["n"] == 1
    assert "<redaction failed>" not in (first, second)
    assert max(len(line.encode()) for line in lines) <= FIELD
    assert error.message == "no"
    assert spent < 2


@pytest.mark.parametrize("name", [n for n in MONSTERS if n != "ten_megabytes"])
def test_a_monster_leaks_nothing_by_default(name):
    line = Redactor(key=KEY).redact_result(MONSTERS[name]())

    assert not any(leak in line for leak in ("hunter2", "example", "4111111", "sk_live", "<script"))
    assert line.isprintable()


def test_a_million_names_are_bounded():
    redactor = Redactor(key=KEY)

    line = redactor.redact_parameters({f"name_{n:x}": "v" for n in range(100_000)})

    assert len(line.encode()) <= FIELD
    assert "more>" in line


def test_names_that_are_hashed_by_hostile_code_are_read_past_it():
    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash("title")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

    redactor = Redactor(key=KEY)
    redactor.redact_parameters({"title": "seen"})

    line = redactor.redact_parameters({Name("x"): "hunter2"})

    assert json.loads(line).keys() == {"x"}
    assert "hunter2" not in line


def test_a_dictionary_changed_by_another_thread_is_no_trouble():
    redactor = Redactor(key=KEY)
    shared: dict[str, object] = {str(n): n for n in range(500)}
    stop = threading.Event()

    def change() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            shared[f"k{n % 700}"] = n
            shared.pop(f"k{(n + 350) % 700}", None)

    thread = threading.Thread(target=change)
    thread.start()
    lines = [json.loads(redactor.redact_result(shared)) for _ in range(300)]
    stop.set()
    thread.join()

    assert all(line["499"] == 499 for line in lines)
