"""The turn that is going on, carried in a context variable so that tools need not be told."""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import replace
from pathlib import PurePath
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, Protocol, Self, TypeVar, cast

from mulligan.core.call import DERIVED, Execution
from mulligan.core.display.escape import format_value
from mulligan.core.finding import Correction
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.identity import IdentityKind
from mulligan.core.turn import Turn
from mulligan.redaction import Redactor
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.journal.waiter import ON_LOOP, ON_THREAD, Waiter, run_to_end
from mulligan.turns.memory.advice_text import Advised, Mended
from mulligan.turns.memory.episodes import OpenEpisode
from mulligan.turns.memory.offers import Offers
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.note import TurnResult

P = ParamSpec("P")
R = TypeVar("R")

MOST_ADVISED = 20
"""Failures of one turn whose advice is kept."""
CHANGED_BY_PERSON = "changed by a person"
"""The name by which a turn knows what a person has put into a call."""
MOST_EPISODES = 200
"""Failures of one turn that are learned from, the latest."""

_answered_for: ContextVar[bool] = ContextVar("mulligan_answered_for", default=False)
"""What is called here is called by us, for an action that is on record already."""
_words_only: ContextVar[bool] = ContextVar("mulligan_words_only", default=False)
"""What runs here writes a reply again, after what its turn did was reviewed."""
_current: ContextVar[OpenTurn | None] = ContextVar("mulligan_turn", default=None)


class Labels(NamedTuple):
    """What a turn puts on the rows of its calls."""

    tenant: str
    """Its identity, never its name."""
    agent: str
    """In parentheses, where nobody named it: what it runs in."""
    context: str
    """As it was given, else derived."""
    turn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed(TurnResult):
    """What a review of the attempt came to, and what has been done about it."""

    correction: Correction | None
    """What to tell the agent, which may try once more; `None`: this was the last attempt."""
    idle: bool = False
    """Nothing was done that anybody could have looked at."""


class Reviewing(Protocol):
    """What a turn needs to be reviewed."""

    def enter(self) -> None:
        """The turn begins."""

    async def review(self, reply: object) -> Reviewed:
        """Review the attempt that is going on, and act on the verdict."""

    def clears(self, proposed: Execution) -> bool:
        """Whether a call that was not made yet may be made on the word of the checks."""

    async def leave(self, *, failed: bool, waiter: Waiter) -> None:
        """The turn is over; what nobody reviewed must not be forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOrigin:
    """Where a turn comes from: its context, where nobody gives one."""

    host: str = ""
    """The framework that runs its agent, or the gateway; empty: the application itself."""
    within: str = ""
    """The function that opened it."""
    tools: int | None = None
    """How many its agent has; `None`: nobody told."""

    def derive_context(self, message: str, *, redactor: Redactor) -> str:
        """What is known of a turn, without a word of its message."""
        known = {
            "host": self.host,
            "tools": "" if self.tools is None else str(self.tools),
            "request": redactor.hash_text(message) if message else "",
        }
        return DERIVED + " ".join(f"{name}={said}" for name, said in known.items() if said)


APPLICATION = TurnOrigin()


def name_caller() -> str:
    """The function that has called who asks; of a program's top level, its file."""
    code = sys._getframe(2).f_code  # noqa: SLF001 - inspect reads whole files for it
    return code.co_name if code.co_name.isidentifier() else PurePath(code.co_filename).stem


class TurnsUnderWay:
    """The turns of one application that people wait for."""

    def __init__(self) -> None:
        self._turns: dict[str, weakref.ref[OpenTurn]] = {}

    def add(self, turn: OpenTurn) -> None:
        """It was entered."""
        self._turns[turn.id] = weakref.ref(turn)

    def drop(self, turn: OpenTurn) -> None:
        """It is over."""
        self._turns.pop(turn.id, None)

    def list_turns(self) -> list[OpenTurn]:
        """Those that are going on, less those inside another."""
        found = [reference() for reference in list(self._turns.values())]
        return [turn for turn in found if turn is not None and not turn.is_inner]


class OpenTurn:
    """A turn while it lasts: `with` or `async with` makes it the current one."""

    __slots__ = (
        "__weakref__", "_among", "_around", "_entered", "_origin", "_tokens", "advised", "attempts",
        "correction", "durable", "episodes", "home", "kept", "labels", "mended", "offers", "outer",
        "over", "own", "reviewing", "steps", "turn",
    )  # fmt: skip

    def __init__(
        self,
        turn: Turn,
        *,
        redactor: Redactor,
        own: bool = False,
        among: TurnsUnderWay | None = None,
        origin: TurnOrigin = APPLICATION,
    ) -> None:
        self.turn = turn
        self._origin = origin
        self._among = among
        """Those that are to know of it while it goes on."""
        self.home = redactor
        """What every turn of one application shares."""
        self.own = own
        """It stands for itself, also where it is opened inside another."""
        self.outer: OpenTurn | None = None
        """The turn that it was opened in and belongs to."""
        self._around: OpenTurn | None = None
        """The turn that it was opened in, perhaps of another application."""
        self.attempts: list[LiveAttempt] = [LiveAttempt(turn=turn, number=1)]
        self.correction: Correction | None = None
        """What was wrong with the attempt before this one, and what is true now."""
        self.advised: deque[Advised] = deque(maxlen=MOST_ADVISED)
        """What its agent was told about calls that failed, also of those that returned a failure;
        the latest last."""
        self.mended: deque[Mended] = deque(maxlen=MOST_ADVISED)
        """Calls that were made otherwise than its agent asked, and what was changed; the latest
        last."""
        self.episodes: deque[OpenEpisode] = deque(maxlen=MOST_EPISODES)
        """What failed in it, for when its end is known."""
        self.offers = Offers()
        """Corrections its agent was told of."""
        self.kept = False
        """What its tools return is kept by others, who may go on from there whatever happens."""
        self.durable = False
        """An engine goes on with it in whichever process, step by step."""
        self.over = False
        """It was left, though calls that it made may still be under way."""
        self.reviewing: Reviewing | None = None
        self.steps = 0
        """Calls that were begun in it, where their rows have a derived context."""
        # Redacted and derived once here, not at every call.
        within = origin.host or origin.within
        self.labels = Labels(
            tenant=redactor.identify(turn.tenant, IdentityKind.TENANT),
            agent=redactor.redact_label(turn.agent or (f"({within})" if within else "")),
            context=self._build_context(),
            turn=turn.id,
        )
        self._entered = 0
        self._tokens: list[Token[OpenTurn | None]] = []

    def note_tools(self, count: int) -> None:
        """How many tools its agent has, as far as its context is derived."""
        if count != self._origin.tools:
            self._origin = replace(self._origin, tools=count)
            self.labels = self.labels._replace(context=self._build_context())

    def _build_context(self) -> str:
        """As it was given, less secrets; else derived."""
        if self.turn.context:
            return self.home.redact_text(self.turn.context)
        return self._origin.derive_context(self.turn.message, redactor=self.home)

    @property
    def principal(self) -> str:
        """Who asked, by their identity; empty where nobody is named."""
        return self.home.identify(self.turn.principal, IdentityKind.PRINCIPAL)

    @property
    def id(self) -> str:
        """The turn's id, as on every row of the log."""
        return self.turn.id

    @property
    def message(self) -> str:
        """What the person said."""
        return self.turn.message

    @property
    def attempt(self) -> LiveAttempt:
        """What is being done now."""
        return self.attempts[-1]

    def hear(self, values: Mapping[str, object]) -> None:
        """A person has said these by changing a call: they are known from here on."""
        said = {name: v if isinstance(v, str) else format_value(v) for name, v in values.items()}
        before = self.turn.known.get(CHANGED_BY_PERSON, ())
        heard = [*(before if isinstance(before, list) else ()), said]
        self.turn = replace(self.turn, known={**self.turn.known, CHANGED_BY_PERSON: heard})

    def list_actions(self) -> Iterator[LiveAction]:
        """Everything that was done or tried so far, in all attempts, also by turns inside it."""
        for attempt in self.attempts:
            yield from attempt.actions
            yield from attempt.list_inner()

    def list_standing(self) -> list[Execution]:
        """The calls so far that were not undone, in all attempts."""
        return [each for attempt in self.attempts for each in attempt.list_standing()]

    def list_attempts(self) -> list[LiveAttempt]:
        """Its attempts so far."""
        return self.attempts

    @property
    def root(self) -> OpenTurn:
        """The outermost turn that this one belongs to, which may be itself."""
        root = self
        while root.outer is not None:
            root = root.outer
        return root

    @property
    def is_inner(self) -> bool:
        """Whether it belongs to another turn that is still going on."""
        return self.root is not self and not self.root.over

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function in this turn, wherever it is called: for threads and executors.

        `loop.run_in_executor(None, turn.bind(work))`. A context that a thread was given, as by
        `asyncio.to_thread`, needs none of this.
        """
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_in_turn(*args: P.args, **kwargs: P.kwargs) -> Any:
                with self.make_current():
                    return await function(*args, **kwargs)

            return cast("Callable[P, R]", run_in_turn)

        @functools.wraps(function)
        def call_in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
            with self.make_current():
                return function(*args, **kwargs)

        return call_in_turn

    @contextmanager
    def make_current(self) -> Iterator[None]:
        """What is called in here belongs to it."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    async def review(self, reply: object = None) -> Reviewed:
        """Review what was done since the last review, before anyone sees the reply.

        Rejected, it is taken back as a whole, and `correction` says what to tell the agent.
        """
        if self.reviewing is None:
            raise RuntimeError("This turn is not open: use `async with m.turn(…) as turn:`.")
        return await self.reviewing.review(reply)

    def begin(self) -> None:
        """It goes on from here, inside the turn that is current; it is not made current itself.

        For a host, whose hooks run in contexts of their own: what belongs to it is called inside
        `make_current`.
        """
        self.over = False
        if self.reviewing is not None:
            self.reviewing.enter()
        outer = _current.get()
        if not self._entered:
            self._around = outer
            self.outer = outer if outer is not None and self._belongs_to(outer) else None
        if self.outer is not None and self.list_attempts not in self.outer.attempt.inner:
            self.outer.attempt.inner.append(self.list_attempts)
        self._entered += 1
        if self._among is not None:
            self._among.add(self)

    async def end(self, *, failed: bool, waiter: Waiter = ON_LOOP) -> None:
        """The other end of `begin`."""
        self._entered -= 1
        self.over = not self._entered
        if self.over and self._among is not None:
            self._among.drop(self)
        if self.reviewing is not None and self.over:
            await self.reviewing.leave(failed=failed, waiter=waiter)

    def pause(self) -> None:
        """Nothing goes on in it here for now; an engine that keeps it goes on elsewhere."""
        self._entered, self.over = 0, True
        if self._among is not None:
            self._among.drop(self)

    def __enter__(self) -> Self:
        self.begin()
        self._tokens.append(_current.set(self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        run_to_end(self._leave(failed=error is not None, waiter=ON_THREAD))

    def find_of(self, home: Redactor) -> OpenTurn | None:
        """The nearest turn of an application: this one, or one that it was opened in."""
        if self.home is home:
            return self
        around = self._around
        return None if around is None or around.over else around.find_of(home)

    def _belongs_to(self, outer: OpenTurn) -> bool:
        """Whether it is a part of the turn it is opened in: of one application, and not said to
        stand for itself."""
        fresh = outer is not self and not outer.root.over and not self._entered
        return fresh and not self.own and self.home is outer.home

    async def _leave(self, *, failed: bool, waiter: Waiter) -> None:
        try:
            _current.reset(self._tokens.pop())
        except ValueError:
            # Left in another context than it was entered in: there is nothing to go back to here.
            _current.set(None)
        await self.end(failed=failed, waiter=waiter)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._leave(failed=error is not None, waiter=ON_LOOP)


@contextmanager
def leave_turns() -> Iterator[None]:
    """What is called in here belongs to no turn: it is done for an action that is on record."""
    token, answered = _current.set(None), _answered_for.set(True)
    try:
        yield
    finally:
        _current.reset(token)
        _answered_for.reset(answered)


def write_words_only() -> None:
    """From here on this task changes nothing: a tool that might is refused to it.

    Threads and tasks that it begins are held to it too, however long they go on.
    """
    _words_only.set(True)


def is_words_only() -> bool:
    """Whether nothing may be changed here, as nobody would review it."""
    return _words_only.get()


def is_outside(home: Redactor) -> bool:
    """Whether what is called here belongs to no turn of that application, and nobody answers for
    it: `home` is what every turn of an application shares."""
    return find_current_turn(home) is None and not _answered_for.get()


def name_outer_attempt(turn: OpenTurn) -> str | None:
    """The attempt of the outermost turn that an inner one belongs to."""
    return f"{turn.root.id}/{turn.root.attempt.number}" if turn.is_inner else None


def find_current_turn(home: Redactor | None = None) -> OpenTurn | None:
    """The turn that is going on here, if any; of one application, where its redactor is named.

    What another application's tool does belongs to no turn of this one: they share no journal.
    """
    current = _current.get()
    if current is None or home is None or current.home is home:
        return current
    return current.find_of(home)
