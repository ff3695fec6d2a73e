"""Our own calls on an object: their order needs no clock, and each knows where its work stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from mulligan.codec import encode_value
from mulligan.runtime.journal import ObjectHistory, summarize
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Store

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
UNTIL = NOW + timedelta(days=90)
DINNER = frozenset({("", "dinner")})


class Diary:
    """A history on a store of its own, in which calls are written down as a turn would."""

    def __init__(self) -> None:
        self.store: Store = open_store("memory:", clock=lambda: NOW)
        self.history = self.open()
        self._at = count()

    def open(self) -> ObjectHistory:
        """As another process has it."""
        return ObjectHistory(vault=self.store.vault, journal=self.store.journal)

    def call(self, name: str, *, version: str | None = None, done: bool = True) -> None:
        self.begin(name)
        if done:
            self.end(name, version=version)

    def begin(self, name: str) -> None:
        opening = Opening(tool=f"tool_{name}", effect=Effect.REVERSIBLE)
        keep = list(self.history.take_places([(name, DINNER)], until=UNTIL))
        self._write(name, State.INTENT, 1, keep=keep, opening=opening)

    def end(self, name: str, *, version: str | None = None) -> None:
        outcome = Kept(owner=name, name="result", value=encode_value({"version": version}))
        self._write(name, State.EXECUTED, 2, keep=[outcome])

    def undo(self, name: str, *, old: str, new: str) -> None:
        self._write(name, State.UNDOING, 3)
        keep = list(self.history.keep_undo(name, DINNER, old=old, new=new, until=UNTIL))
        self._write(name, State.UNDONE, 4, keep=keep)

    def list_later(self, name: str, *, since: datetime = UNTIL) -> list[str]:
        return [d.action.id for d in self.history.list_later(name, DINNER, since=since)]

    def _write(
        self,
        name: str,
        state: State,
        version: int,
        *,
        keep: list[Kept] | None = None,
        opening: Opening | None = None,
    ) -> None:
        at = NOW + timedelta(seconds=next(self._at))
        entry = Entry(action=name, state=state, at=at, version=version, opening=opening)
        self.store.journal.submit([entry], keep=keep or []).result()


@pytest.fixture
def diary() -> Diary:
    return Diary()


def test_the_order_is_that_of_the_store_whatever_the_clocks_of_processes_say(diary: Diary) -> None:
    diary.call("9 made by a clock that is ahead")
    diary.history = diary.open()
    diary.call("1 made later")

    assert diary.list_later("9 made by a clock that is ahead") == ["1 made later"]
    assert diary.list_later("1 made later") == []


def test_calls_that_are_begun_together_have_a_place_each(diary: Diary) -> None:
    pair = [("a", DINNER), ("b", DINNER)]

    kept = list(diary.history.take_places(pair, until=UNTIL))

    assert len({each.name for each in kept if each.value in (b"a", b"b")}) == 2


def test_one_that_came_back_after_another_was_begun_may_have_written_last(diary: Diary) -> None:
    diary.begin("a")
    diary.begin("b")
    diary.end("b", version="2")
    diary.end("a", version="3")
    begun = NOW + timedelta(seconds=1)

    [beside] = diary.history.list_later("b", DINNER, since=begun)

    assert (beside.action.id, beside.version, beside.beside) == ("a", "3", True)


def test_what_a_call_left_stands_where_our_own_undos_have_put_it(diary: Diary) -> None:
    diary.call("a", version="2")
    diary.call("b", version="3")
    diary.undo("b", old="2", new="4")
    diary.call("c", version="5")
    diary.undo("c", old="4", new="6")

    assert diary.history.find_version("a", DINNER, left="2") == "6"
    assert diary.history.find_undone("4", DINNER) == "b"
    assert diary.history.find_undone("5", DINNER) is None


def test_what_is_known_of_a_version_is_not_said_of_a_later_call_that_left_the_same(
    diary: Diary,
) -> None:
    """As a file has that was deleted and made anew, and is numbered from one again."""
    diary.call("a", version="2")
    diary.undo("a", old="1", new="3")
    diary.call("b", version="1")

    assert diary.history.find_version("b", DINNER, left="1") == "1"


def test_of_two_made_beside_each_other_and_being_undone_neither_waits(diary: Diary) -> None:
    diary.begin("a")
    diary.begin("b")
    diary.end("b")
    diary.end("a")
    begun = NOW + timedelta(seconds=1)
    accepted = summarize(diary.history.list_later("b", DINNER, since=begun)).standing

    diary._write("a", State.UNDOING, 3)

    assert accepted == "tool_a"
    assert summarize(diary.history.list_later("b", DINNER, since=begun)).standing == ""
