"""A remote, tools of every kind of declaration on it, and reviewers in any mood."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from mulligan import ConflictError, Effect, Finding, Mode, Mulligan, Record, Repeat
from mulligan.checks.subject import limit_to_calls
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Opinion, Remark
from mulligan.runtime.declaration import Remote
from mulligan.settings import Memory
from mulligan.types.display import Question
from mulligan.types.limits import Backoff, JudgeLimits
from mulligan_testing.remote import FakeRemote, Item, RemoteError

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
RIGHT, WRONG, BEFORE = "2026-11-20", "2026-11-21", "2026-11-18"
SAID = f"Move dinner to {RIGHT}"
EVENTS = {"e1": "dinner", "e2": "lunch", "e3": "concert"}


class Mood(StrEnum):
    """How somebody reviews."""

    RIGHT = "right"
    """Against what is wrong, and nothing else."""
    HARSH = "harsh"
    """Against everything."""
    CONTENT = "content"
    """With everything, also with what is wrong."""
    DOWN = "down"
    """No answer."""
    AWAY = "away"
    """About other tools, or not there."""


Tools = dict[str, Callable[..., Awaitable[Any]]]


@contextmanager
def _conflicts_named() -> Iterator[None]:
    try:
        yield
    except RemoteError as error:
        if error.status in (409, 412):
            raise ConflictError(str(error)) from error
        raise


@dataclass
class TruthWorld:
    """What one application acts on; the remote and the moods are another's at every history."""

    kind: str
    """`plain`: a check of the whole attempt, and a judge. `scoped`: a check that says what it is
    about. `bare`: nobody."""
    m: Mulligan = field(init=False)
    remote: FakeRemote = field(init=False)
    tools: Tools = field(init=False)
    mood: Mood = Mood.RIGHT
    judging: Mood = Mood.AWAY

    def __post_init__(self) -> None:
        scoped = limit_to_calls(lambda _turn, _call: self.mood is not Mood.AWAY)(self.check)
        kinds: dict[str, list[Any]] = {"plain": [self.check], "scoped": [scoped], "bare": []}
        checks = kinds[self.kind]
        quick = Backoff(first=timedelta(), longest=timedelta())
        self.m = Mulligan(
            "memory:", checks=checks, judge=self if self.kind == "plain" else None,
            recover=False, memory=Memory(on=False), backoff=quick,
            judge_limits=JudgeLimits(undos=10**9),
        )  # fmt: skip
        self.tools = {**self._declare_moves(), **self._declare_makes(), **self._declare_others()}

    def begin(self, path: Path, *, mood: Mood, judging: Mood) -> None:
        """Another history begins, on a remote of its own."""
        path.unlink(missing_ok=True)
        self.remote = FakeRemote(path)
        self.mood, self.judging = mood, judging
        for event, title in EVENTS.items():
            data = {"day": BEFORE, "title": title, "mark": "seed"}
            self.remote.create(data, id=event, by="person")

    def check(self, attempted: Attempted) -> Iterator[Finding]:
        """Look at every call that may have done something."""
        if self.mood is Mood.DOWN:
            raise RuntimeError("the check is down")
        made = [e for e in attempted.executions if not (e.failure and e.failure.nothing_done)]
        wrong = any(WRONG in each.call.arguments.values() for each in made)
        if (self.mood is Mood.RIGHT and wrong) or (self.mood is Mood.HARSH and made):
            yield Finding(rule="day.wrong", severity="error", issue="That day is wrong.")  # type: ignore[arg-type]

    async def ask(self, question: Question[Any]) -> Any:
        """Judge, as the mood is."""
        if self.judging in (Mood.DOWN, Mood.AWAY):
            return None
        wrong = WRONG in str(question.values.get("calls"))
        if (self.judging is Mood.RIGHT and wrong) or self.judging is Mood.HARSH:
            against = Remark(area="other", severity="error", issue="Not as asked.")  # type: ignore[arg-type]
            return Opinion(findings=(against,), confirmed=False)
        return Opinion(findings=(), confirmed=not wrong)

    def _read(self, record: Record) -> Item | None:
        return self.remote.get(str(record.arguments["event"]))

    def _put_back(self, record: Record) -> None:
        before: Any = record.before
        with _conflicts_named():
            self.remote.update(before.id, before.data, if_version=record.version, by="undo")

    def _remove(self, record: Record) -> None:
        with _conflicts_named():
            event = str(record.arguments["event"])
            self.remote.delete(event, if_version=record.version, by="undo")

    def _change(self, event: str, day: str, mark: str, key: str | None = None) -> Item:
        data = {"day": day, "title": EVENTS[event], "mark": mark}
        return self.remote.update(event, data, key=key)

    def _declare_moves(self) -> Tools:
        tool = self.m.tool
        changing: dict[str, Any] = {
            "effect": Effect.REVERSIBLE, "before": self._read, "undo": self._put_back,
            "about": lambda record: record.arguments["event"],
        }  # fmt: skip
        versioned = changing | {"version": lambda record: record.result.version}

        @tool(**versioned)
        async def move(event: str, day: str, mark: str) -> Item:
            return self._change(event, day, mark)

        @tool(**changing)
        async def move_plain(event: str, day: str, mark: str) -> Item:
            return self._change(event, day, mark)

        @tool(effect=Effect.REVERSIBLE, before=self._read, undo=self._put_back)
        async def move_vague(event: str, day: str, mark: str) -> Item:
            return self._change(event, day, mark)

        @tool(
            **versioned, key="key", repeat=Repeat.KEYED, remote=Remote(lands_within=timedelta()),
            probe=lambda record: self.remote.answer_to(str(record.key)),
        )  # fmt: skip
        async def move_keyed(event: str, day: str, mark: str, key: str | None = None) -> Item:
            return self._change(event, day, mark, key=key)

        @tool(**versioned)
        async def move_event(event: str, day: str) -> Item:
            return self._change(event, day, f"{event}/{day}")

        return {"move": move, "move_plain": move_plain, "move_vague": move_vague,
                "move_keyed": move_keyed, "move_event": move_event}  # fmt: skip

    def _declare_makes(self) -> Tools:
        making: dict[str, Any] = {
            "effect": Effect.REVERSIBLE, "read": self._read, "undo": self._remove,
            "about": lambda record: record.arguments["event"],
        }  # fmt: skip

        @self.m.tool(**making, version=_read_version)
        async def make(event: str, day: str, mark: str) -> Item:
            return self.remote.create({"day": day, "mark": mark}, id=event)

        @self.m.tool(**making)
        async def make_plain(event: str, day: str, mark: str) -> Item:
            return self.remote.create({"day": day, "mark": mark}, id=event)

        return {"make": make, "make_plain": make_plain}

    def _declare_others(self) -> Tools:
        async def create(event: str, day: str, mark: str) -> str:
            return self.remote.create({"day": day, "mark": mark}, id=event).id

        @self.m.tool(effect=Effect.READ)
        async def find(event: str) -> dict[str, object]:
            found = self.remote.get(event)
            return {"id": event, "title": found.data["title"]} if found else {}

        tool = self.m.tool
        return {
            "find": find,
            "add": tool(name="add")(create),
            "watch": tool(name="watch", effect=Effect.IRREVERSIBLE, mode=Mode.OBSERVE)(create),
            "send": tool(name="send", effect=Effect.IRREVERSIBLE)(create),
        }


def _read_version(record: Record) -> object:
    made: Any = record.result
    return made.version
