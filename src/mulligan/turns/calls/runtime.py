"""What a wrapped tool needs from the application around it."""

from __future__ import annotations

import random
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from mulligan.core.action import SETTLED
from mulligan.core.failures.suggestion import ErrorRule
from mulligan.core.happened.event import ActionMoved, Happened
from mulligan.core.interfaces import Classify, Judge
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.fork_hooks import call_on_fork
from mulligan.core.storage.ids import RANDOM_BITS, make_uuid7
from mulligan.core.waiting.limits import Backoff, JudgeLimits
from mulligan.learning.classify import classify
from mulligan.learning.fingerprint import KnownPatterns
from mulligan.learning.soft_errors import IsKnown, is_known
from mulligan.redaction import Redactor
from mulligan.redaction.values.fast import find_form
from mulligan.telemetry.events import Events
from mulligan.telemetry.queue import RowQueue
from mulligan.telemetry.writer import LogWriter
from mulligan.turns.journal.book import Book
from mulligan.turns.memory.lookup import Recall
from mulligan.turns.turn.outside_calls import HostCalls, OutsideCalls

_chances: weakref.WeakSet[random.Random] = weakref.WeakSet()


def make_chance() -> random.Random:
    """A source of chance that no other process shares: two children of a fork never draw alike."""
    chance = random.Random()  # noqa: S311 - ids and pauses, not secrets
    _chances.add(chance)
    return chance


def _draw_anew() -> None:
    for chance in _chances:
        chance.seed()


call_on_fork(after_in_child=_draw_anew)


MOST_HELD = 1_000
"""Held calls of one process that keep what they were given; each lives for minutes."""

Make = Callable[..., Awaitable[Any]]
"""Makes a call once; what it is given by name reaches the tool beside what the agent passed."""


MOST_OPEN_ACTIONS = 10_000
"""Open actions that keep the tool which made them, and what it was given."""


class ActionTools:
    """The tools that made actions, and what only this process knows of these, while they are open.

    What is kept no more is found by its mark, or by nobody: never by its name alone.
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[Any, dict[str, object]]] = {}

    def keep(self, action: str, *, tool: object, originals: dict[str, object]) -> None:
        """Remember whose an action is; of very many the oldest go."""
        self._found[action] = tool, originals
        while len(self._found) > MOST_OPEN_ACTIONS:
            self._found.pop(next(iter(self._found)))

    def find(self, action: str) -> tuple[Any, dict[str, object]] | None:
        """The tool that made an action in this process, and what cannot be written of its call."""
        return self._found.get(action)

    def forget(self, event: Happened) -> None:
        """An action is settled, so that nothing more is done about it."""
        if isinstance(event, ActionMoved) and event.state in SETTLED:
            self._found.pop(event.action, None)


def read_wall_us() -> int:
    """Now, in microseconds since the epoch."""
    return time.time_ns() // 1000


COPIED = 64
"""Entries of an argument that is copied: a larger one takes too long."""
_MUTABLE = frozenset({dict, list, set, bytearray})
_OPENINGS = "{["


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm:
    """What is done at the site of every call: compiled where `mulligan-fast` is installed.

    The pure form says what is right; the compiled one does what is common, and calls it else.
    """

    look_over: Callable[[Mapping[str, Any]], tuple[dict[str, Any], bool]]
    make_uuid7: Callable[[int, int], str]
    is_known: IsKnown
    make_queue: Callable[..., RowQueue]


def look_over(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Those arguments that a tool can change, as they are; and whether it is worth asking the
    schema, as they may be in a wrapping: written as text, or one level too deep.

    One loop for both. What a tool takes out of its arguments it may quote in its error.
    """
    copies: dict[str, Any] = {}
    wrapped = False
    for name, value in arguments.items():
        kind = type(value)
        if kind is str:
            if value and value[0] in _OPENINGS:
                wrapped = True
        elif kind in _MUTABLE:
            if len(value) <= COPIED:
                copies[name] = value.copy()
            if kind is dict and len(arguments) == 1:
                wrapped = True
    return copies, wrapped


PURE = CallForm(look_over=look_over, make_uuid7=make_uuid7, is_known=is_known, make_queue=RowQueue)


def choose_call_form(*, fast: bool) -> CallForm:
    """The compiled form where it may run and is there, else the pure one."""
    module = find_form().module if fast else None
    return PURE if module is None else build_call_form(module)


def build_call_form(module: Any) -> CallForm:
    """The compiled form, which calls the pure one for what is not common."""
    made = module.Site(look_over=look_over, make_uuid7=make_uuid7, is_known=is_known)
    return CallForm(
        look_over=made.look_over,
        make_uuid7=made.make_uuid7,
        is_known=made.is_known,
        make_queue=module.RowQueue,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The parts that every tool of one application shares."""

    redactor: Redactor
    log: LogWriter
    book: Book
    events: Events
    tenant: str = ""
    unadvised: frozenset[str] = frozenset()
    """Agents that get their errors as they are."""
    unlogged: frozenset[str] = frozenset()
    """Agents whose calls are not logged, as the log would call them."""
    strict: bool = False
    """Hold what nobody has declared."""
    patterns: KnownPatterns = field(default_factory=KnownPatterns)
    """What has failed before in this process."""
    recall: Recall | None = None
    """What earlier failures say; `None`: the application has no memory."""
    judge: Judge | None = None
    """Asked for corrections by tools that want that."""
    reads_only: dict[str, bool] = field(default_factory=dict)
    """Whether a tool only reads, by its name, in the order they were declared."""
    outside: OutsideCalls | None = None
    """What is done about calls outside any turn; `None`: they are simply made."""
    host_calls: HostCalls = field(default_factory=HostCalls)
    """Calls of these tools that hosts are making at this moment."""
    action_tools: ActionTools = field(default_factory=ActionTools)
    """Which tool made the open actions of this process, where another one might be mistaken for
    it."""
    held: dict[str, Make] = field(default_factory=dict)
    """How to make the calls that wait for a person in this process, by action."""
    sample: float = 1.0
    """The share of first-try successes that the log keeps, each with the weight of the others."""
    spans: bool | None = None
    """`None`: whenever the application has set up a tracer provider."""
    error_rules: tuple[ErrorRule, ...] = ()
    """The application's own word on errors, asked after a tool's own."""
    judge_limits: JudgeLimits = field(default_factory=JudgeLimits)
    classify: Classify = classify
    backoff: Backoff = field(default_factory=Backoff)
    form: CallForm = PURE
    wall_us: Callable[[], int] = read_wall_us
    monotonic: Callable[[], float] = time.monotonic
    chance: random.Random = field(default_factory=make_chance)
    latest: list[int] = field(default_factory=lambda: [0])
    """When the last id was made, in microseconds."""

    def keep_held(self, action: str, make: Make) -> None:
        """Remember how to make a held call; of those that nobody ever answers, the oldest go."""
        self.held[action] = make
        while len(self.held) > MOST_HELD:
            self.held.pop(next(iter(self.held)))

    def make_id(self, at_us: int) -> str:
        """An id that sorts by time, and above the last one also where the clock was set back."""
        latest = self.latest
        if at_us <= latest[0]:
            at_us = latest[0] + 1
        latest[0] = at_us
        return self.form.make_uuid7(at_us, self.chance.getrandbits(RANDOM_BITS))
