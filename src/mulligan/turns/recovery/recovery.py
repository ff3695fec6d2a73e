"""Recovery is the normal path: it looks after what a crash, a cancelled turn or a person left."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import field
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import TypeVar

from mulligan.core.action import (
    HOLDS,
    UNANSWERED,
    UNCERTAIN,
    UNREVIEWED,
    Action,
    State,
    find_expiry,
)
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError, JournalError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.points import Point, reach
from mulligan.loops.actions import Reviewers
from mulligan.turns.calls.retry import release
from mulligan.turns.calls.runtime import Make
from mulligan.turns.calls.toolbox import Toolbox, build_codeless_action
from mulligan.turns.journal import late_answers
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.landing import settle, settle_approved
from mulligan.turns.journal.live_action import LiveAction, read_order
from mulligan.turns.recovery.late_review import Beside, finish_rejection, review_late
from mulligan.turns.recovery.lines import split_lines
from mulligan.turns.recovery.passes import start_part
from mulligan.turns.turn.rejection import Fate, load_fate
from mulligan.turns.turn.rollback import MOST_TRIES, undo_actions

_report = logging.getLogger("mulligan")
T = TypeVar("T")

_NO_ANSWER = "Nobody answered in time."

AT_ONCE = 16
"""Actions that are recovered at the same time."""

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (1, 30, 120, 300, 450))
"""Between one try and the next: five in a quarter of an hour."""

ENGINE_LIFE = timedelta(days=1)
"""How long a turn that an engine keeps may stand still before others review what it did."""

UNDER_UNDO = (State.UNDOING, State.UNDO_FAILED)
GONE = (State.UNDONE, State.NOT_EXECUTED, State.CLOSED)
"""States in which nothing of an action is left, or a person has seen to what is."""
WAITING = (State.UNKNOWN, State.UNDO_FAILED, State.PENDING_REVIEW)
"""States that are looked at again after a pause, a longer one each time."""


def is_left_behind(state: State, *, mine: bool, gone: bool) -> bool:
    """Whether an open action is anybody's that this process is not at work on.

    `mine`: its last entry was written here; `gone`: by a writer that will write no more.
    """
    return mine or gone or state in HOLDS


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Recovery:
    """Takes up open actions that nobody is at work on, as far as this application has the code."""

    book: Book
    toolbox: Toolbox
    reviewers: Reviewers
    held: dict[str, Make] = field(default_factory=dict)
    missing: set[tuple[str, str]] = field(default_factory=set)
    """Tools of open actions that this application has not, once it was said."""

    async def run(self) -> int:
        """Look after everything once. How many actions were taken up.

        One that another process moves first, or that cannot be read, is left to the next pass.
        """
        await reach(Point.RECOVERING)
        await late_answers.tell(self.book)
        found = await asyncio.to_thread(self._list_open)
        left = await asyncio.to_thread(self._find_left_behind, found)
        due = [action for action in left if self._is_due(action)]
        # All at once: what is slow in one way holds up no other.
        find_out = partial(self._recover_one, self._find_out)
        ways = [
            self._release_all([a for a in due if a.state in HOLDS]),
            self._recover_together(find_out, [a for a in due if a.state in UNCERTAIN]),
            self._undo_all([a for a in due if a.state in UNDER_UNDO]),
            self._review_attempts(due, left, found),
        ]
        return await _run_together(ways)

    async def settle_one(self, action: Action) -> Action | None:
        """Look after one action now that was cut short, if that is due and it is anybody's.

        As it stands then: as it was, where whoever is at work on it lives.
        """
        left = await asyncio.to_thread(self._find_left_behind, [action])
        if left and self._is_due(action):
            recover = self._undo if action.state in UNDER_UNDO else self._find_out
            await self._recover_one(recover, action)
        return await asyncio.to_thread(self.book.journal.find_action, action.id)

    async def _release_all(self, due: Sequence[Action]) -> int:
        """Of one turn in the order in which a person approved them: one may need another."""
        lines: dict[str, list[Action]] = {}
        for action in sorted(due, key=lambda each: (each.changed_at, each.id)):
            turn, _, _ = (action.opening.whole or action.id).partition("/")
            lines.setdefault(turn, []).append(action)

        async def release_line(line: Sequence[Action]) -> int:
            return sum([await self._recover_one(self._release_hold, each) for each in line])

        return await self._recover_together(release_line, list(lines.values()))

    async def _undo_all(self, due: Sequence[Action]) -> int:
        """Those that may touch the same object one by one, the newest first; all others at once."""
        by_id = {action.id: action for action in due}
        known = await asyncio.to_thread(self._take_up_all, due)

        async def undo_line(line: Sequence[LiveAction]) -> int:
            return sum([await self._recover_one(self._undo, by_id[each.id]) for each in line])

        return await self._recover_together(undo_line, split_lines(known))

    def _take_up_all(self, due: Sequence[Action]) -> list[LiveAction]:
        """As far as they can be read and their tools are here: the others stay where they are."""
        known = []
        for action in due:
            try:
                known.append(self._take_up(action))
            except Exception as error:  # noqa: BLE001 - one must not stand in the way of others
                _report.warning("Action %s is not read (%s).", action.id, type(error).__name__)
        return [action for action in known if action is not None]

    def _take_up(self, action: Action) -> LiveAction | None:
        """An action with its tool; where that is not here, it is said once, and the row stays."""
        known = self.toolbox.take_up(action, self.book.vault)
        name = action.opening.server, action.opening.tool
        if known is None and name not in self.missing:
            self.missing.add(name)
            _report.warning("%s stays open. %s", action.id, self.toolbox.describe_missing(action))
        return known

    async def _recover_together(
        self, take_up: Callable[[T], Awaitable[int]], works: Sequence[T]
    ) -> int:
        """Several at a time, so that one that is slow holds up no other."""
        room = asyncio.Semaphore(AT_ONCE)

        async def take_up_one(work: T) -> int:
            async with room:
                return await take_up(work)

        return await _run_together(map(take_up_one, works))

    def _list_open(self) -> list[Action]:
        found: list[Action] = []
        while page := self.book.journal.list_open_actions(
            after=found[-1].id if found else "", limit=500
        ):
            found += page
        return found

    def _find_left_behind(self, found: Sequence[Action]) -> list[Action]:
        """Open actions whose writer is gone, or that were let go in this process.

        The newest first: what was done last is undone first.
        """
        journal = self.book.journal
        mine = journal.identify_writer()
        gone = journal.find_dead_writers(
            {action.writer for action in found if action.writer != mine}
        )
        return [
            action
            for action in sorted(found, key=read_order, reverse=True)
            if not self._is_taken(action.id)
            and is_left_behind(action.state, mine=action.writer == mine, gone=action.writer in gone)
        ]

    def _is_taken(self, action: str) -> bool:
        """Whether somebody in this process is at work on it."""
        return action in self.book.live or action in self.book.recovered

    def _is_due(self, action: Action) -> bool:
        tries = action.detail.get("tries")
        if action.opening.durable and action.state is State.EXECUTED:
            # Its engine brings it to its review, unless nobody runs that engine any more.
            return self.book.has_stood(action, ENGINE_LIFE)
        if action.state is State.UNDO_FAILED and action.detail.get("for_a_person") is True:
            return False
        if not isinstance(tries, int) or action.state not in WAITING:
            return True
        if _count_reviews_begun(action) >= MOST_TRIES:
            # One review after the other ended the process that made it.
            return False
        pause = PAUSES[min(tries, len(PAUSES)) - 1]
        return self.book.has_stood(action, pause)

    async def _recover_one(
        self, recover: Callable[[LiveAction], Awaitable[None]], left: Action
    ) -> int:
        if self._is_taken(left.id):
            # Another pass in this process was quicker.
            return 0
        # Apart from what is live: a call that begins meanwhile stays so when this pass is done.
        self.book.recovered.add(left.id)
        try:
            action = await asyncio.to_thread(self._take_up, left)
            if action is None:
                return await self._leave_open(left)
            await recover(action)
            await reach(Point.RECOVERED)
        except JournalError:
            # Another process was quicker.
            return 0
        except Exception as error:  # noqa: BLE001 - one action must not stand in the way of others
            # At the end of the program nothing can be begun any more; the next one goes on.
            if threading.main_thread().is_alive():
                _report.warning("Action %s is not recovered (%s).", left.id, self._explain(error))
        finally:
            self.book.recovered.discard(left.id)
        return 1

    def _explain(self, error: Exception) -> str:
        """Our own words where they say what is missing; of others' errors only the type."""
        if isinstance(error, ConfigurationError):
            return self.book.scrub(str(error))
        return type(error).__name__

    async def _release_hold(self, action: LiveAction) -> None:
        if await self._expire(action) or action.state is not State.APPROVED:
            return
        tool = self.toolbox.find(action)
        # One of a host is made where its run goes on.
        if tool is not None and not tool.hosted:
            make = self.held.pop(action.id, None)
            await release(action, tool=tool, make=make, book=self.book)

    async def _leave_open(self, left: Action) -> int:
        """The code or a value is not here: it stays on the open list, which says why."""
        action = build_codeless_action(left)
        if left.state in HOLDS:
            return await self._expire(action)
        if left.state is State.INTENT:
            why = self.toolbox.describe_missing(left)
            await self.book.move([action], State.UNKNOWN, why=why)
        return 0

    async def _expire(self, action: LiveAction) -> bool:
        """End a hold whose time is up. Whether it has ended, or somebody else has moved it."""
        current = await asyncio.to_thread(self.book.journal.find_action, action.id)
        if current is None or current.version != action.version:
            return True
        life = find_expiry(current.detail, changed_at=current.changed_at) - current.changed_at
        if not self.book.has_stood(current, life):
            return False
        approved = action.state is State.APPROVED
        why = "It was approved, and nobody ran it in time." if approved else _NO_ANSWER
        await self.book.move([action], State.EXPIRED, why=why)
        return True

    async def _find_out(self, action: LiveAction) -> None:
        """Whether a call happened that nobody wrote an answer down for."""
        if action.tries >= MOST_TRIES:
            why = (
                f"It was looked for {action.tries} times, and nobody can tell whether it happened."
            )
            await self.book.move([action], State.NEEDS_HUMAN, why=why)
            return
        # The name goes on it first: what ends the process that looks is counted too.
        action.tries += 1
        await self.book.move([action], State.UNKNOWN, why="It gave no answer.")
        await reach(Point.CLAIMED)
        approved = await asyncio.to_thread(self.was_approved, action)
        tool = self.toolbox.find(action)
        # Nobody waits for its answer any more, but where the run of a host or an engine goes on.
        awaited = action.opening.durable or (tool is not None and tool.hosted)
        alone = approved and tool is not None and not awaited
        absent = State.NEEDS_HUMAN if alone else State.NOT_EXECUTED
        await settle([action], book=self.book, absent=absent)

    async def _undo(self, action: LiveAction) -> None:
        """Go on with an undo, or try one again that failed."""
        if action.tries > MOST_TRIES:
            if action.state is State.UNDOING:
                why = f"It was tried {action.tries} times, and did not end well once."
                await self.book.move([action], State.UNDO_FAILED, why=why)
            return
        stuck = await asyncio.to_thread(self._describe_blocker, action)
        if stuck:
            if action.state is State.UNDOING:
                await self.book.move([action], State.UNDO_FAILED, why=stuck)
            return
        action.tries += 1
        await self.book.move([action], State.UNDOING, why="It is tried again.")
        await reach(Point.CLAIMED)
        await undo_actions([action], book=self.book)

    def _describe_blocker(self, action: LiveAction) -> str:
        """Why an undo must wait: something was built on it that is not undone."""
        for name in action.after:
            later = self.book.journal.find_action(name)
            if later is not None and later.state not in GONE:
                where = " on the same object" if action.objects else ""
                return f"{later.opening.tool} came after it{where} and is not undone."
        return ""

    async def _review_attempts(
        self, due: Sequence[Action], left: Sequence[Action], found: Sequence[Action]
    ) -> int:
        """Attempts whose turn ended before anybody reviewed them, each as a whole.

        One with a call that is still looked for waits, also while that look is not due.
        """
        uncertain = {_build_group_key(action) for action in left if action.state in UNCERTAIN}
        waiting = [a for a in due if a.state in UNREVIEWED and _build_group_key(a) not in uncertain]
        ordered = sorted(waiting, key=_build_sort_key)
        groups = [list(group) for _, group in groupby(ordered, key=_build_group_key)]
        others = [action for action in found if action.state in (State.HELD, *UNANSWERED)]
        return await _run_together(self._review(group, others=others) for group in groups)

    async def _review(self, group: Sequence[Action], *, others: Sequence[Action]) -> int:
        names = [action.id for action in group]
        if any(map(self._is_taken, names)):
            # Another pass in this process was quicker.
            return 0
        self.book.recovered.update(names)
        try:
            read = [await asyncio.to_thread(self._take_up, each) for each in group]
            actions = [action for action in read if action is not None]
            if len(actions) < len(group):
                return 0
            beside = await asyncio.to_thread(self._find_beside, group[0], others)
            await self._review_whole(actions, group, beside=beside)
        except JournalError:
            # Another process was quicker.
            return 0
        except Exception as error:  # noqa: BLE001 - one attempt must not stand in the way of others
            _report.warning("%s could not be reviewed (%s).", names[0], type(error).__name__)
        finally:
            self.book.recovered.difference_update(names)
        return len(group)

    async def _review_whole(
        self,
        actions: Sequence[LiveAction],
        group: Sequence[Action],
        *,
        beside: Beside,
    ) -> None:
        reversible = all(action.opening.effect is Effect.REVERSIBLE for action in actions)
        if not reversible and await asyncio.to_thread(self.was_approved, group[0]):
            # Only the last entry is missing.
            await settle_approved(actions, book=self.book)
            return
        decided = await asyncio.to_thread(self._load_fates, actions)
        await finish_rejection(decided, book=self.book)
        actions = [action for action in actions if action.state in UNREVIEWED]
        if not actions:
            return
        # What cannot be undone is treated as delivered: a rejection is then put before a person.
        delivered = any(action.detail.get("delivered") is True for action in group)
        await review_late(
            actions,
            delivered=delivered or not reversible,
            begun=1 + max(map(_count_reviews_begun, group)),
            reviewers=self.reviewers,
            book=self.book,
            beside=beside,
        )

    def _find_beside(self, action: Action, others: Sequence[Action]) -> Beside:
        """The other calls of the same attempt: those that wait for a person or for an answer."""
        whole = action.opening.whole
        same = [each for each in others if whole is not None and each.opening.whole == whole]
        unsettled = [
            self.toolbox.take_up(each, self.book.vault) for each in same if each.state in UNANSWERED
        ]
        held = [build_codeless_action(each) for each in same if each.state is State.HELD]
        return Beside(held=held, unsettled=[each for each in unsettled if each is not None])

    def _load_fates(self, actions: Sequence[LiveAction]) -> list[tuple[LiveAction, Fate]]:
        found = [(action, load_fate(action.id, self.book.vault)) for action in actions]
        return [(action, fate) for action, fate in found if fate is not None]

    def was_approved(self, action: Action | LiveAction) -> bool:
        """Whether a person let it run."""
        entries = self.book.journal.list_entries(action.id)
        return any(entry.state is State.APPROVED for entry in entries)


async def _run_together(works: Iterable[Coroutine[None, None, int]]) -> int:
    """Run all to their end: where one is cancelled from within, none is left behind running."""
    async with asyncio.TaskGroup() as group:
        tasks = [start_part(work, group=group) for work in works]
    return sum(task.result() for task in tasks if not task.cancelled())


def _count_reviews_begun(action: Action) -> int:
    """How many reviews in a row were begun and never came to an end."""
    begun = action.detail.get("reviewing")
    return begun if isinstance(begun, int) else 0


def _build_group_key(action: Action) -> tuple[str, bool]:
    """What is reviewed together: an attempt's reversible actions, or one call on its own."""
    whole = action.opening.whole
    if whole is not None and action.opening.effect is Effect.REVERSIBLE:
        return whole, True
    return action.id, False


def _build_sort_key(action: Action) -> tuple[object, ...]:
    return _build_group_key(action), read_order(action)
