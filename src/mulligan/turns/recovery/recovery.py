"""Recovery is the normal path: it looks after what a crash, a cancelled turn or a person left."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import groupby

from mulligan.core.action import HOLDS, Action, State
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError, JournalError
from mulligan.core.points import Point, reach
from mulligan.loops.actions import Reviewers
from mulligan.turns.calls.runtime import Make
from mulligan.turns.calls.toolbox import Toolbox, build_codeless_action
from mulligan.turns.journal.book import Book, LiveAction
from mulligan.turns.journal.hold import has_expired
from mulligan.turns.journal.landing import settle
from mulligan.turns.recovery.late_review import review_late
from mulligan.turns.recovery.release import release
from mulligan.turns.turn.rollback import undo_actions

_report = logging.getLogger("mulligan")

_NO_ANSWER = "Nobody answered in time."

AT_ONCE = 16
"""Actions that are recovered at the same time."""

MOST_TRIES = 5
"""After so many a person is asked."""

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (1, 30, 120, 300, 450))
"""Between one try and the next: five in a quarter of an hour."""

UNCERTAIN = (State.INTENT, State.UNKNOWN)
UNREVIEWED = (State.EXECUTED, State.PENDING_REVIEW)
UNDER_UNDO = (State.UNDOING, State.UNDO_FAILED)
GONE = (State.UNDONE, State.NOT_EXECUTED)
"""States in which nothing of an action is left."""
WAITING = (State.UNKNOWN, State.UNDO_FAILED, State.PENDING_REVIEW)
"""States that are looked at again after a pause, a longer one each time."""


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Recovery:
    """Takes up open actions that nobody is at work on, as far as this application has the code."""

    book: Book
    toolbox: Toolbox
    reviewers: Reviewers
    held: dict[str, Make] = field(default_factory=dict)

    async def run(self) -> int:
        """Look after everything once. How many actions were taken up.

        One that another process moves first, or that cannot be read, is left to the next pass.
        """
        await reach(Point.RECOVERING)
        left = await asyncio.to_thread(self._find_left_behind)
        due = [action for action in left if self._is_due(action)]
        # All at once: what is slow in one way holds up no other.
        ways = [
            self._recover_together(
                partial(self._recover_one, recover), [a for a in due if a.state in states]
            )
            for states, recover in ((HOLDS, self._release_hold), (UNCERTAIN, self._find_out))
        ]
        undos = self._undo_all([a for a in due if a.state in UNDER_UNDO])
        return await _run_together([*ways, undos, self._review_attempts(due, left)])

    async def _undo_all(self, due: Sequence[Action]) -> int:
        """Those that rest on each other one by one, the newest first; all others at once."""
        undo, names = partial(self._recover_one, self._undo), {action.id for action in due}
        waits = [action for action in due if not names.isdisjoint(_list_after(action))]
        first = await self._recover_together(
            undo, [action for action in due if action not in waits]
        )
        return first + sum([await undo(action) for action in waits])

    async def _recover_together(
        self, take_up: Callable[[Action], Awaitable[int]], actions: Sequence[Action]
    ) -> int:
        """Several at a time, so that one that is slow holds up no other."""
        room = asyncio.Semaphore(AT_ONCE)

        async def take_up_one(action: Action) -> int:
            async with room:
                return await take_up(action)

        return await _run_together(map(take_up_one, actions))

    def _find_left_behind(self) -> list[Action]:
        """Open actions whose writer is gone, or that were let go in this process.

        The newest first: what was done last is undone first.
        """
        found: list[Action] = []
        after = ""
        journal = self.book.journal
        while page := journal.list_open_actions(after=after, limit=500):
            found += page
            after = page[-1].id
        mine = journal.identify_writer()
        gone = journal.find_dead_writers(
            {action.writer for action in found if action.writer != mine}
        )
        return [
            action
            for action in reversed(found)
            if action.id not in self.book.live
            and (action.writer == mine or action.writer in gone or action.state in HOLDS)
        ]

    def _is_due(self, action: Action) -> bool:
        tries = action.detail.get("tries")
        if action.state is State.UNDO_FAILED and action.detail.get("for_a_person") is True:
            return False
        if not isinstance(tries, int) or action.state not in WAITING:
            return True
        if _count_reviews_begun(action) >= MOST_TRIES:
            # One review after the other ended the process that made it.
            return False
        pause = PAUSES[min(tries, len(PAUSES)) - 1]
        return self.book.clock() - action.changed_at >= pause

    async def _recover_one(
        self, recover: Callable[[LiveAction], Awaitable[None]], left: Action
    ) -> int:
        if left.id in self.book.live:
            # Another pass in this process was quicker.
            return 0
        self.book.live.add(left.id)
        try:
            action = await asyncio.to_thread(self.toolbox.take_up, left, self.book.vault)
            if action is None:
                # The code or a value is not here: it stays on the open list, a hold for its time.
                return await self._expire(build_codeless_action(left)) if left.state in HOLDS else 0
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
            self.book.live.discard(left.id)
        return 1

    def _explain(self, error: Exception) -> str:
        """Our own words where they say what is missing; of others' errors only the type."""
        if isinstance(error, ConfigurationError):
            return self.book.scrub(str(error))
        return type(error).__name__

    async def _release_hold(self, action: LiveAction) -> None:
        if await self._expire(action) or action.state is not State.APPROVED:
            return
        tool = self.toolbox.find(action.opening)
        if tool is not None:
            make = self.held.pop(action.id, None)
            await release(action, tool=tool, make=make, book=self.book)

    async def _expire(self, action: LiveAction) -> bool:
        """End a hold whose time is up. Whether it has ended, or somebody else has moved it."""
        current = await asyncio.to_thread(self.book.journal.find_action, action.id)
        if current is None or current.version != action.version:
            return True
        if not has_expired(current.detail, changed_at=current.changed_at, now=self.book.clock()):
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
        await settle([action], book=self.book)

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
                return f"{later.opening.tool} came after it on the same object and is not undone."
        return ""

    async def _review_attempts(self, due: Sequence[Action], left: Sequence[Action]) -> int:
        """Attempts whose turn ended before anybody reviewed them, each as a whole.

        One with a call that is still looked for waits, also while that look is not due.
        """
        uncertain = {_build_group_key(action) for action in left if action.state in UNCERTAIN}
        waiting = [a for a in due if a.state in UNREVIEWED and _build_group_key(a) not in uncertain]
        ordered = sorted(waiting, key=_build_sort_key)
        groups = [list(group) for _, group in groupby(ordered, key=_build_group_key)]
        held = [action for action in left if action.state is State.HELD]
        return await _run_together(self._review(group, held=held) for group in groups)

    async def _review(self, group: Sequence[Action], *, held: Sequence[Action]) -> int:
        names = [action.id for action in group]
        if any(name in self.book.live for name in names):
            # Another pass in this process was quicker.
            return 0
        self.book.live.update(names)
        try:
            vault = self.book.vault
            read = [await asyncio.to_thread(self.toolbox.take_up, a, vault) for a in group]
            actions = [action for action in read if action is not None]
            if len(actions) < len(group):
                return 0
            await self._review_whole(actions, group, held=_find_beside(group[0], held))
        except JournalError:
            # Another process was quicker.
            return 0
        except Exception as error:  # noqa: BLE001 - one attempt must not stand in the way of others
            _report.warning("%s could not be reviewed (%s).", names[0], type(error).__name__)
        finally:
            self.book.live.difference_update(names)
        return len(group)

    async def _review_whole(
        self,
        actions: Sequence[LiveAction],
        group: Sequence[Action],
        *,
        held: Sequence[LiveAction],
    ) -> None:
        reversible = all(action.opening.effect is Effect.REVERSIBLE for action in actions)
        if not reversible and await asyncio.to_thread(self._was_approved, group[0]):
            # A person said so beforehand; only the last entry is missing.
            by: dict[str, object] = {"by": "a person, beforehand"}
            await self.book.move(actions, State.VERIFIED, facts=by)
            return
        # What cannot be undone is treated as delivered: a rejection is then put before a person.
        delivered = any(action.detail.get("delivered") is True for action in group)
        await review_late(
            actions,
            delivered=delivered or not reversible,
            begun=1 + max(map(_count_reviews_begun, group)),
            reviewers=self.reviewers,
            book=self.book,
            held=held,
        )

    def _was_approved(self, action: Action) -> bool:
        """Whether a person let it run, and not the checks."""
        return any(
            entry.state is State.APPROVED and entry.detail.get("by") != "checks"
            for entry in self.book.journal.list_entries(action.id)
        )


async def _run_together(works: Iterable[Coroutine[None, None, int]]) -> int:
    """Run all to their end: where one is cancelled from within, none is left behind running."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]
    return sum(task.result() for task in tasks if not task.cancelled())


def _list_after(action: Action) -> list[str]:
    after = action.detail.get("after", ())
    return list(map(str, after)) if isinstance(after, list) else []


def _find_beside(action: Action, held: Sequence[Action]) -> list[LiveAction]:
    """The calls of the same attempt that wait for a person."""
    whole = action.opening.whole
    if whole is None:
        return []
    return [build_codeless_action(each) for each in held if each.opening.whole == whole]


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


def _build_sort_key(action: Action) -> tuple[tuple[str, bool], str]:
    return _build_group_key(action), action.id
