"""Holds the compiled form of what is done at a call's site against the pure one, at random."""

from __future__ import annotations

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any

from bench.compiled.differences import Difference, see
from bench.compiled.values import NAMES, Number, Table, Text, draw_arguments, draw_value
from mulligan.learning.soft_errors import MOST_KEYS
from mulligan.runtime.tool import COPIED, PURE, CallForm
from mulligan.telemetry.writer import RowQueue
from mulligan.types.call import LogRow

_TIMES = (0, 1, 999, 1000, -1, (1 << 48) * 1000 - 1, (1 << 48) * 1000, 2**63 - 1, 2**63, 10**30)
_CHANCES = (0, 1, (1 << 62) - 1, 1 << 62, 1 << 63, (1 << 64) - 1, 1 << 64, -1, 10**30)
_NO_NUMBERS = (True, None, 1.5, "7", Number(5))
_SIZES = (0, 1, COPIED - 1, COPIED, COPIED + 1, 200)
_OUTCOMES = ("success", "success", "success", "failure", "unknown", "")


class Liar:
    """Says that it is a dictionary, and raises at whatever else it is asked."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not alike")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __len__(self) -> int:
        raise RuntimeError("no length")


_CHANGEABLE: tuple[Callable[[int], object], ...] = (
    lambda size: list(range(size)),
    lambda size: {f"k{n}": n for n in range(size)},
    lambda size: set(range(size)),
    bytearray,
    lambda size: "{" * size,
    lambda size: "[" + "é" * size,
    lambda size: tuple(range(size)),
    lambda _: Liar(),
    lambda _: Text("{text"),
)


def draw_given(chance: random.Random) -> Any:
    """What a look is given: arguments, and now and then what is none."""
    given = draw_arguments(chance)
    for name in chance.sample(NAMES, k=chance.randrange(4)):
        given[name] = chance.choice(_CHANGEABLE)(chance.choice(_SIZES))
    match chance.randrange(20):
        case 0:
            return MappingProxyType(given)
        case 1:
            return OrderedDict(given)
        case 2:
            return Table(given)
        case 3:
            return {**given, Text("a name of its own"): [1]}
        case 4:
            return chance.choice((None, [], "title", Liar()))
        case _:
            return given


def see_look(site: CallForm, given: Any) -> str:
    """The copies by name, as what they are and hold; none of them may be what was given."""

    def look() -> object:
        copies, wrapped = site.look_over(given)
        assert type(copies) is dict
        own = all(copy is not given[name] for name, copy in copies.items())
        return own, wrapped, [(name, *_list_held(copy)) for name, copy in copies.items()]

    return see(look)


def _list_held(copy: Any) -> tuple[str, list[int], bytes]:
    """A copy's type and which objects it holds, without asking any of them."""
    kind = type(copy)
    if kind is bytearray:
        return kind.__name__, [], bytes(copy)
    held = [*copy, *copy.values()] if kind is dict else [*copy]
    return kind.__name__, [id(each) for each in held], b""


def draw_time(chance: random.Random) -> tuple[Any, Any]:
    """A time and chance for an id: mostly such as there are."""
    at_us: Any = time.time_ns() // 1000 + chance.randrange(-(10**9), 10**9)
    drawn: Any = chance.getrandbits(62)
    if chance.random() < 0.2:
        at_us = chance.choice(_TIMES + _NO_NUMBERS)
    if chance.random() < 0.2:
        drawn = chance.choice(_CHANCES + _NO_NUMBERS)
    return at_us, drawn


def draw_result(chance: random.Random) -> tuple[Any, set[tuple[object, ...]]]:
    """A result, and shapes that it may have."""
    result: Any = draw_value(chance)
    if chance.random() < 0.05:
        result = {f"k{n}": n for n in range(chance.choice((MOST_KEYS, MOST_KEYS + 1)))}
    if chance.random() < 0.1:
        result = chance.choice(({Text("title"): 1, "note": 2}, {1: 2, None: 3}, Liar(), Table()))
    shapes: set[tuple[object, ...]] = {("title", "note"), (), ("note", "title")}
    if chance.random() < 0.6 and type(result) is dict:
        names = [name for name in result if type(name) is str]
        shapes.add(tuple(names if chance.random() < 0.8 else reversed(names)))
    return result, shapes


def _see_id(form: CallForm, *, at_us: int, bits: int) -> str:
    return see(lambda: form.make_uuid7(at_us, bits))


def _see_shape(form: CallForm, *, result: object, shapes: set[tuple[object, ...]]) -> str:
    return see(lambda: form.is_known(result, shapes))


def compare_site(site: CallForm, *, values: int, seed: int) -> Iterator[Difference]:
    """Let both forms do the same, each for the same objects."""
    for number in range(values):
        drawn = f"{seed}/{number}"
        chance = random.Random(f"site {drawn}")
        given, (at_us, bits) = draw_given(chance), draw_time(chance)
        result, shapes = draw_result(chance)
        sights: dict[str, Callable[[CallForm], str]] = {
            "look_over": partial(see_look, given=given),
            "make_uuid7": partial(_see_id, at_us=at_us, bits=bits),
            "is_known": partial(_see_shape, result=result, shapes=shapes),
        }
        for what, look in sights.items():
            pure, fast = look(PURE), look(site)
            if pure != fast:
                yield Difference(drawn, what, pure, fast)


def compare_queues(site: CallForm, *, values: int, seed: int) -> Iterator[Difference]:
    """Let both queues go through the same, and look at all there is to see after each step."""
    chance = random.Random(f"queue {seed}")
    bounds = {"most_rows": 8, "most_bytes": 6_000}
    pure, fast = RowQueue(**bounds), site.make_queue(**bounds)
    for number in range(values):
        step = _draw_step(chance, number)
        before, after = (_see_step(step, queue) for queue in (pure, fast))
        if before != after:
            yield Difference(f"{seed}/{number}", "queue", before, after)


def _draw_step(chance: random.Random, number: int) -> Callable[[RowQueue], object]:
    kind, some = chance.random(), chance.choice((0, 1, 3, 100, -1))
    if kind < 0.8:
        row = _draw_row(chance, number)
        return lambda queue: queue.put(row)
    if kind < 0.93:
        return lambda queue: [row.id for row in queue.take(some)]
    if kind < 0.95:
        return lambda queue: queue.take_shed()
    if kind < 0.97:
        return lambda queue: queue.give_back_shed((1, some))
    if kind < 0.98:
        return lambda queue: queue.close()
    return lambda queue: queue.clear() if some == 0 else queue.take_shed()


def _draw_row(chance: random.Random, number: int) -> LogRow:
    sizes = (0, 10, 400, 3_000, 7_000)
    texts = [chance.choice("xé🙂") * chance.choice(sizes[:3]) for _ in range(3)]
    if chance.random() < 0.1:
        texts[chance.randrange(3)] = "x" * chance.choice(sizes)
    message, result = (None if chance.random() < 0.5 else text for text in texts[1:])
    return LogRow(
        id=str(number), at_us=number, tenant="", agent="", server="", tool="t",
        parameters=texts[0], context="", outcome=chance.choice(_OUTCOMES), duration_us=1,
        error_class=None, error_type=None, error_message=message, error_code=None, error_at=None,
        result=result, try_number=1, parent=None, turn=None, weight=1.0,
    )  # fmt: skip


def _see_step(step: Callable[[RowQueue], object], queue: RowQueue) -> str:
    seen = see(lambda: step(queue))
    return f"{seen} {len(queue)} {queue.emitted} {queue.shed} {queue.unwritten_shed}"
