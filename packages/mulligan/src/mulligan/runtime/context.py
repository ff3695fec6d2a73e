"""The turn that is going on, and its attempt: what was called in it, what that did, and what the
person must know of it.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice, takewhile
from json import JSONDecodeError, loads
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple, ParamSpec, Protocol, Self, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.subject import EXISTS
from mulligan.checks.tool_outputs import as_record
from mulligan.loops.actions import NOTHING_DONE
from mulligan.redaction import Redactor
from mulligan.runtime.episodes import Offers, OpenEpisode
from mulligan.runtime.hold import Held
from mulligan.runtime.live_action import LiveAction, as_execution, read_order
from mulligan.runtime.lookup import Advised, RepairedCall
from mulligan.runtime.waiting import ON_LOOP, ON_THREAD, Waiter, run_to_end
from mulligan.types.action import AWAITING_REVIEW, NOTHING_THERE, SETTLED, UNANSWERED, State
from mulligan.types.adapter import HostCall
from mulligan.types.call import DERIVED, Execution
from mulligan.types.display import format_value
from mulligan.types.errors import UnfinishedRunError
from mulligan.types.finding import Confidence, Correction, Fact, Finding, Standing, Verdict
from mulligan.types.reply import read_plain
from mulligan.types.turn import Turn
from mulligan.types.values import IdentityKind

MOST_NOTES = 2_000
"""Calls of one attempt that a review can look back on."""

Note = Callable[[], Execution]
"""Tells the result of a call, on demand: most calls are never asked about."""


class UntrackedCall(Struct, frozen=True, kw_only=True):
    """A call that changed something or may have, and that is on no record but the log."""

    call: str
    came_back: bool
    """False: it failed, and whether it changed anything is unknown."""
    calls_tools: bool
    """Tools that it has called may have changed something, each on a record of its own."""
    build: Callable[[], LiveAction]
    """Makes an action of it, where it needs attention."""


@dataclass(slots=True, kw_only=True)
class Trail:
    """How far what an attempt has shown is kept with its actions."""

    note: Note | None = None
    """The last call that is."""
    untracked: UntrackedCall | None = None
    """The last of the undeclared ones."""
    owner: str | None = None
    """The action, or the whole bulk, that the last evidence is kept with."""
    shared: bool = False
    """That is a bulk."""
    parts: int = 0
    """How much is kept there behind it."""


@dataclass(slots=True, kw_only=True)
class LiveAttempt:
    """What has been done so far in one try of a turn."""

    turn: Turn
    number: int
    correction: Correction | None = None
    """What was wrong with the attempt before this one, and what is true now."""
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=MOST_NOTES))
    done: list[Execution] = field(default_factory=list)
    """What changed something or may have: none of it is ever out of a review's sight."""
    untracked: deque[UntrackedCall] = field(default_factory=lambda: deque(maxlen=MOST_NOTES))
    """What undeclared or only watched tools did."""
    actions: list[LiveAction] = field(default_factory=list)
    approved: set[str] = field(default_factory=set)
    """Ids of the calls, and of their actions, that a person has let run."""
    verdict: Verdict | None = None
    """Of a turn inside another: the result of its own review, where it was accepted."""
    asks: bool = False
    """A tool was called that wants a judge's word."""
    trail: Trail = field(default_factory=Trail)
    inner: list[OpenTurn] = field(default_factory=list)
    """The turns that were opened inside it: what they did belongs to it."""
    _unsure: list[LiveAction] = field(default_factory=list)
    _looked: LiveAction | None = None
    """The last action that was sorted into these or left out."""

    def list_unsure(self) -> list[LiveAction]:
        """Its actions without those that came back: it takes no longer when there were many."""
        new = list(takewhile(lambda each: each is not self._looked, reversed(self.actions)))
        self._looked = self.actions[-1] if self.actions else None
        self._unsure = [each for each in (*self._unsure, *reversed(new)) if not each.came_back]
        return self._unsure

    def forget(self, action: str) -> None:
        """Another has taken its place."""
        self.actions[:] = [each for each in self.actions if each.id != action]
        self._unsure, self._looked = [], None

    def list_executions(self) -> tuple[Execution, ...]:
        """Every call that was made, in order; one that gave no answer as a look has found it."""
        seen = [*self.done]
        if found := [action for action in self.actions if action.looked_up]:
            calls = {action.opening.call for action in found}
            seen = [done for done in seen if calls.isdisjoint((done.call.id, done.call.parent))]
            seen += [as_execution(action, self.turn) for action in found]
        seen += [note() for note in self.notes]
        if self.approved:
            seen = [replace(e, approved=True) if e.call.id in self.approved else e for e in seen]
        # Ids are in the order of time.
        return tuple(sorted(seen, key=lambda execution: execution.call.id))

    def list_standing(self) -> list[Execution]:
        """The calls less those that were undone: what those returned is gone with them."""
        undone = {a.opening.call or a.id for a in self.actions if a.state is State.UNDONE}
        made = self.list_executions()
        return [each for each in made if undone.isdisjoint((each.call.id, each.call.parent))]

    def list_changing(self) -> frozenset[str]:
        """Ids of the calls that changed something or may have."""
        begun = [a for a in self.actions if a.state is not None]
        made = {a.opening.call or a.id for a in begun if a.state not in NOTHING_THERE}
        return frozenset(made | {each.call for each in self.untracked})

    def has_acted(self) -> bool:
        """Whether it has changed something, may have, or wanted to and was held."""
        tried = any(action.state is not State.NOT_EXECUTED for action in self.actions)
        return tried or any(each.untracked for each in self.list_whole()) or bool(self.list_inner())

    def list_latest(self, most: int) -> tuple[Execution, ...]:
        """The last calls that were made, in order; it takes no longer when there were many."""
        notes = islice(reversed(self.notes), most)
        seen = [*self.done[-most:], *(note() for note in notes)]
        return tuple(sorted(seen, key=lambda execution: execution.call.id)[-most:])

    def has_late_answers(self) -> bool:
        """Whether something of it came back, or is under way, that was not undone with it."""
        news = self.list_whole_in_state(*AWAITING_REVIEW, State.INTENT)
        return bool(news) or any(part.untracked for part in self.list_whole())

    def list_whole(self) -> list[LiveAttempt]:
        """It, and the attempts of the turns inside it, and of those inside them."""
        inner = [each.list_whole() for turn in self.inner for each in turn.attempts]
        return sum(inner, [self])

    def list_unseen(self) -> list[str]:
        """What no review can speak for: calls of which nobody knows what they did, and what turns
        inside it did without a review."""
        inner = [each for each in self.list_whole()[1:] if each.verdict is None]
        untracked = [made.call for each in inner for made in each.untracked]
        acted = [a for each in inner for a in each.list_in_state(State.EXECUTED)]
        unknown = self.list_whole_in_state(*UNANSWERED)
        return untracked + [action.opening.call or action.id for action in (*acted, *unknown)]

    def list_inner(self) -> list[LiveAction]:
        """What the turns inside it have done."""
        return [action for turn in self.inner for action in turn.list_actions()]

    def list_in_state(self, *states: State) -> list[LiveAction]:
        """The actions that stand there now."""
        return [action for action in self.actions if action.state in states]

    def list_whole_in_state(self, *states: State) -> list[LiveAction]:
        """The same, with what the turns inside it have done, in the order of effects."""
        found = [action for action in (*self.actions, *self.list_inner()) if action.state in states]
        return sorted(found, key=read_order)


_UNSURE = "It is unknown whether this was done:"
_UNDONE_NOT = "Could not be undone, although a problem was found:"
# An attempt is rejected as a whole: what is wrong may be another call of it.
_HEADS: Mapping[State, str] = {
    State.EXECUTED: "Not yet checked:",
    State.PENDING_REVIEW: "Not yet checked:",
    State.HELD: "Not done yet, awaiting approval:",
    State.APPROVED: "Approved, not done yet:",
    State.INTENT: _UNSURE,
    State.UNKNOWN: _UNSURE,
    State.NEEDS_HUMAN: _UNSURE,
    State.UNDOING: "Being undone, because a problem was found:",
    State.CONFLICT: _UNDONE_NOT,
    State.UNDO_FAILED: _UNDONE_NOT,
    State.DISPUTED: "In effect until a person decides, although a problem was found:",
}


def render_note(verdict: Verdict, actions: Iterable[LiveAction]) -> str:
    """Everything that a reply might leave out or deny; empty where there is nothing to add."""
    # Whatever the reply says: a reply that quotes an action's id may still claim that it was done.
    left = [a for a in actions if a.state not in SETTLED]
    lines: list[str] = []
    if any(finding.rule == NOTHING_DONE for finding in verdict.findings):
        lines.append("The first attempt was wrong, and nothing was changed after it.")
    if verdict.standing is Standing.UNREVIEWED and not left:
        lines.append("Not checked: a reviewer gave no answer.")
    for head in dict.fromkeys(_HEADS.values()) if left else ():
        found = [a.said for a in left if a.state is not None and _HEADS.get(a.state) == head]
        if found:
            lines += [head, *(f"- {each}" for each in dict.fromkeys(found))]
    return "\n".join(lines)


class TurnResult(Struct, frozen=True, kw_only=True):
    """The result of a turn, as far as its reply must tell of it."""

    standing: Standing
    """Of what was done and of the text, where both were reviewed: the worse of the two."""
    confidence: Confidence | None
    """`None`: not reviewed, or not yet."""
    findings: tuple[Finding, ...]
    """Of the last attempt."""
    note: str = ""
    """What the person must know beside the reply: what is not yet checked, waits, or still stands
    though it was found wrong. Show it where the reply is not text."""
    question: str = ""
    """What the person reads in the place of the reply, where the last attempt was rejected too."""
    stands: bool = True
    """What was done was neither rejected nor undone."""
    waits: bool = False
    """A call of the turn was not made yet: it is awaiting approval, or was only just approved."""

    @property
    def finished(self) -> bool:
        """Whether what the reply says may be believed: nothing was rejected, and nothing waits."""
        return self.is_done() and self.standing is not Standing.REJECTED

    def is_done(self) -> bool:
        """The same of what was done alone, whatever its text was found to be."""
        return self.stands and not self.waits

    def choose_reply(self, reply: object) -> object:
        """What goes out: the reply with the note under it, or what a person reads in its place.

        Data is left as it is, unless it would tell a program that something was done which was not.
        """
        data = is_typed(reply) or (isinstance(reply, str) and _is_data(reply))
        if self.question or (data and not self.is_done()):
            return self.describe()
        return add_note(reply, self.note)

    def build_error(self, output: object) -> UnfinishedRunError:
        """What is raised in the place of an output that is no text."""
        return UnfinishedRunError(
            self.describe(),
            output=output,
            standing=self.standing,
            confidence=self.confidence,
            findings=self.findings,
        )

    def describe(self) -> str:
        """What a person reads of a turn that is not finished."""
        issues = " ".join(finding.issue for finding in self.findings)
        return self.question or self.note or issues or "Not all of it was done."


def is_typed(reply: object) -> bool:
    """Whether a reply is an object for a program, which nothing can be written under."""
    return reply is not None and (isinstance(reply, Enum) or not isinstance(reply, str))


def add_note(reply: object, note: str) -> object:
    """A reply with the note under it, where that is text for a person; data is left as it is."""
    # Frameworks have classes of text of their own. One of ours says by itself that it waits.
    if not note or not isinstance(reply, str) or isinstance(reply, Held | Enum) or _is_data(reply):
        return reply
    return f"{read_plain(reply)}\n\n{note}"


def _is_data(text: str) -> bool:
    """Whether a text is meant for a program, which would not understand another line."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        loads(text)
    except (JSONDecodeError, RecursionError):
        return False
    return True


P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

MOST_ADVISED = 20
"""Failures of one turn whose advice is kept."""
CHANGED_BY_PERSON = "changed by a person"
"""The name by which a turn knows what a person has put into a call."""


def hear_changes(turn: Turn, values: Mapping[str, object]) -> Turn:
    """The turn with what a person has said by changing a call."""
    said = {name: v if isinstance(v, str) else format_value(v) for name, v in values.items()}
    before = turn.known.get(CHANGED_BY_PERSON, ())
    heard = [*(before if isinstance(before, list) else ()), said]
    return replace(turn, known={**turn.known, CHANGED_BY_PERSON: heard})


MOST_EPISODES = 200
"""Failures of one turn that are learned from, the latest."""


class NextCall(NamedTuple):
    """What the first call that begins is to have."""

    id: str = ""
    """Empty: any."""
    took_us: int | None = None
    """`None`: as long as it takes."""
    advised: bool = True
    """Whether advice on its failure is read."""


class CallContext(NamedTuple):
    """What a call carries, in any place; another one takes its place for a block."""

    turn: OpenTurn | None = None
    """The turn that is going on here."""
    answered_for: bool = False
    """What is called here is called by us, for an action that is on record already."""
    words_only: bool = False
    """What runs here writes a reply again, after what its turn did was reviewed."""
    once: bool = False
    """Calls are made once: what would help is said, and nothing is tried."""
    next_call: list[NextCall] | None = None
    """What is known of the first call that begins, which takes it out: what that calls has none."""
    resumed: LiveAction | None = None
    """A call that would be held is this one, which a person has approved."""
    in_host: HostCall | None = None
    """The call of a host's own tool that is made here: how, only the host knows."""
    held: dict[str, Held] | None = None
    """What was held, by its tool, where a host words it."""
    said: list[Advised | RepairedCall] | None = None
    """What is said about calls, where something listens."""
    own: Mapping[type, object] = MappingProxyType({})
    """What others put here, each by its type: `None` where it was taken out."""

    def of(self, kind: type[T]) -> T | None:
        """What was put here of a type that this module need not know."""
        return cast("T | None", self.own.get(kind))

    def put(self, kind: type[T], value: T | None) -> CallContext:
        """The same with a value of such a type, or without it."""
        return self._replace(own={**self.own, kind: value})


_NOTHING = CallContext()
UNDER_WAY: ContextVar[Any] = ContextVar("mulligan_call_under_way", default=None)
"""The call whose function runs here: what is called now, it calls. A variable of its own, as every
call sets it twice, also one that is only watched: a new context takes ten times as long."""

_context: ContextVar[CallContext] = ContextVar("mulligan_context", default=_NOTHING)
"""A variable, as between a turn and its tools stands code of others, which hands on nothing."""


def read_context() -> CallContext:
    """What is carried here."""
    return _context.get()


def carry_on(context: CallContext) -> None:
    """Carry this from here on, in this task and in all that it begins."""
    _context.set(context)


@contextmanager
def carry(context: CallContext) -> Iterator[None]:
    """Carry this in here, and then what was carried before; what else was changed inside stays."""
    token = _context.set(context)
    elsewhere: AbstractContextManager[None] = nullcontext()
    try:
        yield
    except GeneratorExit:
        # Only collected, with the task that was in it, wherever that happens.
        elsewhere = suppress(ValueError)
        raise
    finally:
        with elsewhere:
            _leave(token, context)


def _leave(token: Token[CallContext], within: CallContext) -> None:
    """Reset what a block has changed; `ValueError` elsewhere than where it was entered."""
    now = _context.get()
    _context.reset(token)
    if now is not within:
        before = _context.get()
        kept = (
            new if old is had else old for old, had, new in zip(before, within, now, strict=True)
        )
        own = {k: before.of(k) for k, had in within.own.items() if had is not before.of(k)}
        _context.set(CallContext._make(kept)._replace(own={**now.own, **own}))


class Labels(NamedTuple):
    """What a turn puts on the rows of its calls."""

    tenant: str
    """Its identity, never its name."""
    agent: str
    """In parentheses, where it has no name: what it runs in."""
    context: str
    """As it was given, else derived."""
    turn: str | None


class Reviewed(TurnResult, frozen=True, kw_only=True):
    """The result of the attempt's review, and what has been done about it."""

    correction: Correction | None
    """What to tell the agent, which may try once more; `None`: this was the last attempt."""
    idle: bool = False
    """Nothing was done that could be reviewed."""


class Reviewing(Protocol):
    """What a turn needs to be reviewed."""

    def enter(self) -> None:
        """The turn begins."""

    async def review(self, reply: object) -> Reviewed:
        """Review the attempt that is going on, and act on the verdict."""

    def clears(self, proposed: Execution) -> bool:
        """Whether a call that was not made yet may be made on the word of the checks."""

    async def leave(self, *, failed: bool, waiter: Waiter) -> None:
        """The turn is over; what was not reviewed must not be forgotten."""


class TurnOrigin(Struct, frozen=True, kw_only=True):
    """Where a turn comes from: its context, where none is given."""

    host: str = ""
    """The framework that runs its agent, or the gateway; empty: the application itself."""
    within: str = ""
    """The function that opened it."""
    tools: int | None = None
    """How many its agent has; `None`: unknown."""

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
    """The caller's function; of a program's top level, its file."""
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

    outer: OpenTurn | None = None
    """The turn that it was opened in and belongs to."""
    _around: OpenTurn | None = None
    """The turn that it was opened in, perhaps of another application."""
    kept = False
    """What its tools return is kept elsewhere, where the run may continue from it."""
    durable = False
    """An engine goes on with it in whichever process, step by step."""
    over = False
    """It was left, though calls that it made may still be under way."""
    reviewing: Reviewing | None = None
    steps = 0
    """Calls that were begun in it, where their rows have a derived context."""
    _entered = 0

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
        """It is independent, also where it is opened inside another."""
        self.attempts: list[LiveAttempt] = [LiveAttempt(turn=turn, number=1)]
        self.advised: deque[Advised] = deque(maxlen=MOST_ADVISED)
        """What its agent was told about calls that failed, also of those that returned a failure;
        the latest last."""
        self.repaired: deque[RepairedCall] = deque(maxlen=MOST_ADVISED)
        """Calls that were made otherwise than its agent asked, and what was changed; the latest
        last."""
        self.episodes: deque[OpenEpisode] = deque(maxlen=MOST_EPISODES)
        """What failed in it, for when its end is known."""
        self.offers = Offers()
        """Corrections that its agent was shown."""
        self.failing: dict[object, tuple[int, str]] = {}
        """How often each call has failed in the same way since it last did not, and how."""
        # Redacted and derived once here, not at every call.
        within = origin.host or origin.within
        self.labels = Labels(
            tenant=redactor.identify(turn.tenant, IdentityKind.TENANT),
            agent=redactor.redact_label(turn.agent or (f"({within})" if within else "")),
            context=self._build_context(),
            turn=turn.id,
        )
        self._tokens: list[tuple[Token[CallContext], CallContext]] = []

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
        """Who asked, by their identity; empty where unknown."""
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

    @property
    def correction(self) -> Correction | None:
        """What was wrong with the attempt before this one, and what is true now."""
        return self.attempt.correction

    def hear(self, values: Mapping[str, object]) -> None:
        """A person has said these by changing a call: they are known from here on."""
        self.turn = hear_changes(self.turn, values)

    def list_actions(self) -> list[LiveAction]:
        """Everything that was done or tried so far, in all attempts, also by turns inside it."""
        return [a for each in self.attempts for a in (*each.actions, *each.list_inner())]

    def list_unsure(self) -> Iterator[LiveAction]:
        """The same without those of this attempt that surely came back, which may be many."""
        *before, now = self.attempts
        for attempt in before:
            yield from attempt.actions
            yield from attempt.list_inner()
        yield from now.list_unsure()
        yield from now.list_inner()

    def list_standing(self) -> list[Execution]:
        """The calls so far that were not undone, in all attempts."""
        return [each for attempt in self.attempts for each in attempt.list_standing()]

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
        return self.outer is not None and not self.root.over

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function in this turn, called from anywhere: for threads and executors.

        `loop.run_in_executor(None, turn.bind(work))`. A context that a thread was given, as by
        `asyncio.to_thread`, needs none of this.
        """
        call = UNDER_WAY.get()
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_in_turn(*args: P.args, **kwargs: P.kwargs) -> Any:
                with self.make_current(), _made_by(call):
                    return await function(*args, **kwargs)

            return cast("Callable[P, R]", run_in_turn)

        @functools.wraps(function)
        def call_in_turn(*args: P.args, **kwargs: P.kwargs) -> R:
            with self.make_current(), _made_by(call):
                return function(*args, **kwargs)

        return call_in_turn

    def make_current(self) -> AbstractContextManager[None]:
        """What is called in here belongs to it."""
        return carry(_context.get()._replace(turn=self))

    async def review(self, reply: object = None) -> Reviewed:
        """Review what was done since the last review, before the reply is shown.

        Rejected, it is undone as a whole, and `correction` says what to tell the agent.
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
        outer = _context.get().turn
        if not self._entered:
            self._around, self.outer = outer, None
            # A part of the turn it is opened in: of one application, and not said to stand for
            # itself.
            if outer is not None and outer is not self and not outer.root.over and not self.own:
                self.outer = outer if self.home is outer.home else None
        if self.outer is not None and self not in self.outer.attempt.inner:
            self.outer.attempt.inner.append(self)
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
        within = _context.get()._replace(turn=self)
        self._tokens.append((_context.set(within), within))
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        run_to_end(self._leave(failed=error is not None, waiter=ON_THREAD))

    def find_of(self, home: Redactor) -> OpenTurn | None:
        """The nearest turn of an application: this one, or one that it was opened in."""
        if self.home is home:
            return self
        around = self._around
        return None if around is None or around.over else around.find_of(home)

    async def _leave(self, *, failed: bool, waiter: Waiter) -> None:
        try:
            _leave(*self._tokens.pop())
        except ValueError:
            # Left in another context than it was entered in: there is nothing to go back to here.
            _context.set(_context.get()._replace(turn=None))
        await self.end(failed=failed, waiter=waiter)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        await self._leave(failed=error is not None, waiter=ON_LOOP)


def leave_turns() -> AbstractContextManager[None]:
    """What is called in here belongs to no turn: it is done for an action that is on record."""
    return carry(_context.get()._replace(turn=None, answered_for=True))


def write_words_only() -> None:
    """From here on this task changes nothing: a tool that might is refused to it.

    Threads and tasks that it begins are held to it too, however long they go on.
    """
    _context.set(_context.get()._replace(words_only=True))


def add_advice(what: Advised | RepairedCall) -> None:
    """Say something about a call that is being made."""
    said = _context.get().said
    if said is not None:
        said.append(what)


def is_outside(home: Redactor) -> bool:
    """Whether what is called here belongs to no turn of that application, and nobody answers for
    it: `home` is what every turn of an application shares."""
    return find_current_turn(home) is None and not _context.get().answered_for


def find_current_turn(home: Redactor | None = None) -> OpenTurn | None:
    """The turn that is going on here, if any; of one application, where its redactor is named.

    What another application's tool does belongs to no turn of this one: they share no journal.
    """
    current = _context.get().turn
    if current is None or home is None or current.home is home:
        return current
    return current.find_of(home)


_NAMES_AN_OBJECT = re.compile(r"(?:^|_)(?:id|uid|uuid)$|[a-z]Id$")


def gather_existing_ids(actions: Iterable[LiveAction]) -> tuple[Fact, ...]:
    """A fact for each object that an action was on, where it names one and only one."""
    facts: dict[Fact, None] = {}
    for action in actions:
        if action.record.before is None:
            continue
        given, each = action.record.arguments, action.declaration.each
        own = (as_record(given.get(each)) if each else given).items()
        ids = {v for name, v in own if isinstance(v, str) and v and _NAMES_AN_OBJECT.search(name)}
        if len(ids) == 1:
            [name] = ids
            about = f"There was an object with the id {name!r} before the call."
            facts[Fact(kind=EXISTS, subject=name, value="yes", about=about)] = None
    return tuple(facts)


@contextmanager
def _made_by(call: Any) -> Iterator[None]:
    """Calls in here are made by that one, whatever thread they are made on."""
    token = UNDER_WAY.set(call if call is not None else UNDER_WAY.get())
    try:
        yield
    finally:
        UNDER_WAY.reset(token)
