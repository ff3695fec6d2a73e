"""What the tools of one application share, and what each of their calls comes through."""

from __future__ import annotations

import os
import sys
import threading
from types import ModuleType
from typing import Any

import pytest

from bench.compiled.build import build_package, import_library
from bench.compiled.calls import compare_queues, compare_site
from bench.missing import MissingError
from mulligan import Effect, Mulligan, Redaction
from mulligan.redaction import fast
from mulligan.redaction.fast import RedactionForm
from mulligan.runtime.tool import (
    COPIED,
    PURE,
    CallForm,
    build_call_form,
    make_chance,
)
from mulligan.telemetry.writer import RowQueue
from mulligan.types.events import CallLogged, Happened
from tests.telemetry.rows import a_row

VALUES = 2_000
"""How many random calls are compared."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    try:
        return import_library(build_package(tmp_path_factory.mktemp("compiled")))
    except MissingError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def compiled(library: ModuleType) -> CallForm:
    return build_call_form(library)


@pytest.fixture(params=["pure", "compiled"])
def site(request: pytest.FixtureRequest) -> CallForm:
    return PURE if request.param == "pure" else request.getfixturevalue("compiled")


def test_what_a_look_finds_and_which_ids_are_made_is_the_same(compiled: CallForm) -> None:
    assert list(compare_site(compiled, values=VALUES, seed=5)) == []


def test_both_queues_give_out_count_and_shed_the_same(compiled: CallForm) -> None:
    assert list(compare_queues(compiled, values=VALUES, seed=5)) == []


def test_copies_are_those_of_the_moment_and_large_ones_are_left_out(site: CallForm) -> None:
    tags, place = ["a"], {"city": "Porto"}
    large = list(range(COPIED + 1))

    copies, wrapped = site.look_over({"tags": tags, "place": place, "large": large, "n": 1})
    tags.append("b")
    place.clear()

    assert copies == {"tags": ["a"], "place": {"city": "Porto"}}
    assert wrapped is False


@pytest.mark.full
@pytest.mark.parametrize(
    ("given", "wrapped"),
    [
        ({"a": '{"b": 1}'}, True),
        ({"a": "[1]", "b": 2}, True),
        ({"a": {"b": 1}}, True),
        ({"a": {"b": 1}, "c": 1}, False),
        ({"a": "", "b": "text"}, False),
    ],
)
def test_what_may_be_in_a_wrapping_is_told(site: CallForm, given: Any, wrapped: bool) -> None:
    assert site.look_over(given)[1] is wrapped


def test_nobody_is_held_longer_than_a_look_takes(compiled: CallForm) -> None:
    name, value, shape = "".join(["ti", "tle"]), ["a"], ("title", "note")
    given, shapes = {name: value, "note": "x"}, {shape}
    held = [sys.getrefcount(each) for each in (name, value, given, shapes)]

    for _ in range(1_000):
        compiled.look_over(given)
        compiled.is_known(given, shapes)

    assert [sys.getrefcount(each) for each in (name, value, given, shapes)] == held


def test_no_row_is_lost_or_held_where_many_threads_put_and_one_takes(site: CallForm) -> None:
    queue = site.make_queue(most_rows=10**6, most_bytes=10**9)
    rows = [[a_row(n) for n in range(2_000)] for _ in range(4)]
    taken: list[object] = []
    done = threading.Event()

    def take() -> None:
        while not done.is_set() or len(queue):
            taken.extend(queue.take(100))

    taking = threading.Thread(target=take)
    putting = [threading.Thread(target=lambda r=r: [*map(queue.put, r)]) for r in rows]
    for each in (taking, *putting):
        each.start()
    for each in putting:
        each.join()
    done.set()
    taking.join()

    assert sorted(map(id, taken)) == sorted(id(row) for each in rows for row in each)
    assert (queue.emitted, queue.shed, len(queue)) == (8_000, 0, 0)


def test_a_row_that_is_none_is_refused_and_leaves_the_queue_as_it_was(compiled: CallForm) -> None:
    queue = compiled.make_queue(most_rows=10, most_bytes=10**6)
    no_rows: list[Any] = [None, (), ("x",) * 19, (1,) * 20]

    for wrong in no_rows:
        with pytest.raises((TypeError, SystemError)):
            queue.put(wrong)

    assert (queue.emitted, len(queue)) == (0, 0)


@pytest.fixture
def installed(library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "find_form", lambda: RedactionForm(library, "compiled"))
    monkeypatch.setattr(
        "mulligan.runtime.tool.find_form", lambda: RedactionForm(library, "compiled")
    )


async def test_calls_are_logged_alike_whichever_form_runs(installed: None) -> None:
    rows: dict[bool, list[tuple[object, ...]]] = {True: [], False: []}
    for form, seen in rows.items():
        with Mulligan("memory:", redaction=Redaction(fast=form)) as m:

            def keep(event: Happened, seen: list[tuple[object, ...]] = seen) -> None:
                assert isinstance(event, CallLogged)
                seen.append((event.row.outcome, event.row.result, event.row.error_message))

            @m.tool(effect=Effect.READ)
            async def find(tags: list[str], place: dict[str, Any]) -> dict[str, Any]:
                taken = tags.pop()
                if place.get("fails"):
                    raise ValueError(f"no {place.pop('fails')} in {taken}")
                return {"seats": len(tags), "cost": 12.5}

            m.subscribe(keep)
            await find(tags=["Porto"], place={"city": "Porto"})
            with pytest.raises(ValueError, match="no seat"):
                await find(tags=["Porto"], place={"fails": "seat"})
            assert (type(m._parts.runtime.log._queue) is RowQueue) is not form

    assert rows[True] == rows[False]
    assert rows[True] == [
        ("success", '{"seats":0,"cost":12.5}', None),
        ("failure", None, "no <place> in <tags>"),
    ]


def drawn_in_a_child(draw: object) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, str(draw()).encode())  # type: ignore[operator]
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        return answer.read()


def test_two_children_of_a_fork_never_draw_the_same_ids() -> None:
    chance = make_chance()

    first = drawn_in_a_child(lambda: chance.getrandbits(62))
    second = drawn_in_a_child(lambda: chance.getrandbits(62))

    assert first
    assert second
    assert first != second
    assert str(chance.getrandbits(62)).encode() not in (first, second)
