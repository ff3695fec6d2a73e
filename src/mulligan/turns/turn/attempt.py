"""One attempt of a turn while it lasts: what was called in it, and what that did."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from itertools import islice

from mulligan.core.action import NOTHING_THERE, State
from mulligan.core.call import Execution
from mulligan.core.finding import Verdict
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn
from mulligan.turns.journal.live_action import LiveAction, as_execution, read_order

MOST_NOTES = 2_000
"""Calls of one attempt that a review can look back on."""

Note = Callable[[], Execution]
"""Tells what came of a call, once somebody asks: most calls are never asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCall:
    """A call that changed something or may have, and that is on no record but the log."""

    call: str
    came_back: bool
    """False: it failed, and nobody can say whether it has changed anything."""
    build: Callable[[], LiveAction]
    """Makes an action of it, where it has to be put before a person."""


class LooseCalls(deque[LooseCall]):
    """The latest of such calls; somebody may want to be told of each."""

    def __init__(self, calls: Iterable[LooseCall] = ()) -> None:
        super().__init__(calls, maxlen=MOST_NOTES)
        self.on_added: Callable[[], None] = lambda: None

    def append(self, call: LooseCall) -> None:
        """One more."""
        super().append(call)
        self.on_added()


@dataclass(slots=True, kw_only=True)
class Trail:
    """How far what an attempt has shown is kept with its actions."""

    note: Note | None = None
    """The last call that is."""
    loose: LooseCall | None = None
    """The last of those that nobody declared."""
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
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=MOST_NOTES))
    done: list[Execution] = field(default_factory=list)
    """What changed something or may have: none of it is ever out of a review's sight."""
    loose: LooseCalls = field(default_factory=LooseCalls)
    """What tools did of which nobody declared an effect, or that are only watched."""
    actions: list[LiveAction] = field(default_factory=list)
    approved: set[str] = field(default_factory=set)
    """Ids of the calls, and of their actions, that a person has let run."""
    verdict: Verdict | None = None
    """Of a turn inside another: what its own review came to, where it stands."""
    asks: bool = False
    """A tool was called that wants a judge's word."""
    trail: Trail = field(default_factory=Trail)
    inner: list[Callable[[], Iterable[LiveAttempt]]] = field(default_factory=list)
    """The attempts of each turn that was opened inside it: what they did belongs to it."""

    def list_executions(self) -> tuple[Execution, ...]:
        """Every call that was made, in order; one that gave no answer as a look has found it."""
        found = [action for action in self.actions if action.looked_up]
        calls = {action.opening.call for action in found}
        seen = [done for done in self.done if calls.isdisjoint((done.call.id, done.call.parent))]
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
        return frozenset(made | {each.call for each in self.loose})

    def has_acted(self) -> bool:
        """Whether it has changed something, may have, or wanted to and was held."""
        tried = any(action.state is not State.NOT_EXECUTED for action in self.actions)
        return tried or any(each.loose for each in self.list_whole()) or bool(self.list_inner())

    def list_latest(self, most: int) -> tuple[Execution, ...]:
        """The last calls that were made, in order; it takes no longer when there were many."""
        notes = islice(reversed(self.notes), most)
        seen = [*self.done[-most:], *(note() for note in notes)]
        return tuple(sorted(seen, key=lambda execution: execution.call.id)[-most:])

    def list_whole(self) -> list[LiveAttempt]:
        """It, and the attempts of the turns inside it, and of those inside them."""
        inner = [attempt for turn in self.inner for attempt in turn()]
        return [self, *(each for attempt in inner for each in attempt.list_whole())]

    def list_unseen_inside(self) -> list[str]:
        """What turns inside it did and no review has looked at."""
        inner = [each for each in self.list_whole()[1:] if each.verdict is None]
        loose = [made.call for each in inner for made in each.loose]
        acted = [a for each in inner for a in each.list_in_state(State.EXECUTED)]
        return loose + [action.opening.call or action.id for action in acted]

    def list_inner_verdicts(self) -> list[Verdict]:
        """What the reviews of turns inside it came to, where those changed something."""
        inner = [each for each in self.list_whole()[1:] if each.list_changing()]
        return [each.verdict for each in inner if each.verdict is not None]

    def list_inner(self) -> list[LiveAction]:
        """What the turns inside it have done."""
        return [action for attempt in self.list_whole()[1:] for action in attempt.actions]

    def list_in_state(self, *states: State) -> list[LiveAction]:
        """The actions that stand there now."""
        return [action for action in self.actions if action.state in states]

    def list_whole_in_state(self, *states: State) -> list[LiveAction]:
        """The same, with what the turns inside it have done, in the order of effects."""
        found = [action for action in (*self.actions, *self.list_inner()) if action.state in states]
        return sorted(found, key=read_order)
