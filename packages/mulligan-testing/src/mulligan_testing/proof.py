"""Prove a tool's own undo: undone, stopped at every point, and edited at every one.

What counts is the state of the world afterwards, not what was said about it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypedDict

from msgspec import Struct

from mulligan.loops.actions import Attempted
from mulligan.runtime.assessment import is_restored
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import Agent, Done
from mulligan.types.action import SETTLED, State
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.events import ActionMoved, Happened
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check, Clock, Subscriber
from mulligan_testing.fakes import FixedClock
from mulligan_testing.faults import Deed, Faults, Strike, cancel_when_hung

PASSES = 8
"""Of recovery, with a while between them: more than it ever tries anything."""

A_WHILE = timedelta(minutes=10)

UNDISTURBED = "done wrongly"
"""The run that nothing comes between: it has to end restored, and never before a person."""

FOR_A_PERSON = frozenset({State.NEEDS_HUMAN, State.CONFLICT})
"""States of an action that only a person can decide about."""


class Proving(TypedDict):
    """What the application under proof is made with: `Mulligan("memory:", **proving)`."""

    checks: list[Check[Attempted]]
    """A reviewer that calls every change wrong."""
    clock: Clock
    """It is moved on, so that no pause takes real time."""
    recover: bool


class Application(Protocol):
    """What a proof needs of `Mulligan`."""

    async def act(self, message: str, agent: Agent, /) -> Done:
        """Let an agent act, and review what it did."""

    async def recover(self) -> int:
        """Look after what was left."""

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Get every event."""

    def flush(self) -> bool:
        """Hand on every event so far."""

    def close(self) -> None:
        """Let go of everything."""


class Trial(Struct, frozen=True, kw_only=True):
    """An application in a world of its own, made anew for every run."""

    m: Application
    call: Callable[[], object]
    """Calls the tool, sync or async, the way an agent would."""
    look: Callable[[], object]
    """What the world looks like: whatever the call changes must show."""
    edit: Callable[[], object] | None = None
    """A person changes the same thing. `None`: there is no such edit."""


@dataclass(slots=True, kw_only=True)
class Proof:
    """What a proof has seen."""

    runs: int = 0
    for_a_person: dict[str, str] = field(default_factory=dict)
    """Runs that ended on the open list, and as what: truthful, but they need attention."""


class UnprovenError(AssertionError):
    """An undo does not do what its declaration says."""


Build = Callable[..., Trial]
"""Makes a trial, given `Proving` by name."""


async def prove_undo(build: Build) -> Proof:
    """Run a tool's undo through everything that can happen to it, or raise `UnprovenError`.

    Done wrongly, its effect must be gone again; cancelled at any point, recovery must see to that;
    and what a person wrote at any point must be there in the end.
    """
    proof, broken = Proof(), list[str]()
    dry = _Run(build, Faults())
    broken += await dry.play(proof, UNDISTURBED)
    for hit, point in enumerate(dry.path, start=1):
        stopped = _Run(build, Faults(Strike(deed=Deed.CANCEL, hit=hit)))
        broken += await stopped.play(proof, f"stopped at {point!r} ({hit})")
        edited = _Run(build, Faults(), edit_at=hit)
        broken += await edited.play(proof, f"edited by a person at {point!r} ({hit})")
    if broken:
        raise UnprovenError("\n".join(["The undo does not hold:", *broken]))
    return proof


class _Run:
    """One life of one trial."""

    def __init__(self, build: Build, faults: Faults, *, edit_at: int = 0) -> None:
        self._clock = FixedClock(datetime.now(UTC))
        proving: Proving = {
            "checks": [_reject_everything],
            "clock": self._clock,
            "recover": False,
        }
        self._trial = build(**proving)
        strike = Strike(deed=Deed.EDIT, hit=edit_at)
        self._faults = Faults(strike, edit=self._edit) if edit_at else faults
        self._states: dict[str, State] = {}
        self._expected: object = None

    @property
    def path(self) -> list[str]:
        return self._faults.path

    async def play(self, proof: Proof, what: str) -> Iterator[str]:
        """Live through it. What is broken, a sentence each."""
        m, look = self._trial.m, self._trial.look
        try:
            m.subscribe(self._note)
            self._expected = look()
            with self._faults:
                await cancel_when_hung(m.act("Prove it", self._act), self._faults)
            for _ in range(PASSES):
                self._clock.move(A_WHILE)
                await m.recover()
            m.flush()
            return iter(list(self._judge(proof, what, look())))
        finally:
            m.close()

    async def _act(self, turn: OpenTurn) -> str:
        if turn.attempt.number > 1:
            return "I leave it at that."
        try:
            answer = self._trial.call()
            if isinstance(answer, Awaitable):
                await answer
        except Exception as error:  # noqa: BLE001 - an agent goes on when a tool fails
            return f"It failed: {error}"
        return "Done."

    def _edit(self) -> None:
        before = self._trial.look()
        if self._trial.edit is not None:
            self._trial.edit()
        now = self._trial.look()
        if now != before:
            self._expected = now

    def _note(self, event: Happened) -> None:
        if isinstance(event, ActionMoved):
            self._states[event.action] = event.state

    def _judge(self, proof: Proof, what: str, now: object) -> Iterator[str]:
        proof.runs += 1
        left = [state for state in self._states.values() if state not in SETTLED]
        as_expected = is_restored(
            Record(arguments={}, snapshot=Snapshot(self._expected)), now, callbacks=ToolCallbacks()
        )
        if left and what != UNDISTURBED and all(state in FOR_A_PERSON for state in left):
            proof.for_a_person[what] = ", ".join(left)
        elif left:
            yield f"- {what}: it is left as {', '.join(left)}."
        if not as_expected and not left:
            yield f"- {what}: there is {now!r}, and there should be {self._expected!r}."


def _reject_everything(attempted: Attempted) -> Iterator[Finding]:
    if attempted.executions:
        yield Finding(rule="proof.wrong", severity=Severity.ERROR, issue="Undone on purpose.")
