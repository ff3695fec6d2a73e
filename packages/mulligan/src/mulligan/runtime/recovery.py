"""Recovery is the normal path: it looks after what a crash, a cancelled turn or a person left, and
reviews what was not reviewed in its turn.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import types
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import suppress
from contextvars import Context, copy_context
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.process.event_loop import leave_waiting_thread
from mulligan.process.fault_points import Point, checkpoint
from mulligan.process.user_functions import call_here
from mulligan.runtime.assessment import describe_error, says_gone
from mulligan.runtime.context import (
    carry_on,
    gather_existing_ids,
    hear_changes,
    leave_turns,
    read_context,
)
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction, as_execution, read_order
from mulligan.runtime.payloads import (
    LET_RUN,
    Rejection,
    UndeclaredCall,
    decode_executions,
    decode_history,
    decode_turn,
    decode_undeclared,
    keep_as_asked,
    load_edited,
    load_evidence,
    load_trail,
    restore_edited,
)
from mulligan.runtime.probe import settle, settle_approved
from mulligan.runtime.retry import release
from mulligan.runtime.review import choose_step, join_verdicts, requires_verdict, settle_reviewed
from mulligan.runtime.rollback import (
    Fate,
    choose_fate,
    list_outer,
    load_fate,
    record_undeclared_late,
    reject,
    undo_actions,
)
from mulligan.runtime.tool import Make
from mulligan.runtime.toolbox import Toolbox, build_codeless_action
from mulligan.runtime.undo_group import order_requested
from mulligan.types.action import (
    AWAITING_REVIEW,
    GONE,
    HOLDS,
    MOST_TRIES,
    UNANSWERED,
    UNCERTAIN,
    Action,
    State,
    find_expiry,
)
from mulligan.types.call import Outcome
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, JournalError
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Vault
from mulligan.types.policy import Step


class Beside(Struct, frozen=True, kw_only=True):
    """What else there is of an attempt: rejected, that is not wanted either."""

    held: Sequence[LiveAction] = ()
    """Calls that await approval."""
    unsettled: Sequence[LiveAction] = ()
    """Calls of which it is not yet known whether they happened."""


async def review_late(
    actions: Sequence[LiveAction],
    *,
    delivered: bool,
    begun: int,
    reviewers: Reviewers,
    book: JournalWriter,
    beside: Beside,
) -> None:
    """Review one attempt's actions as a whole, in the order they were made.

    Rejected, they are undone; but where the answer was delivered, a person is asked first. `begun`
    counts the reviews since the last that finished, this one among them.
    """
    for action in actions:
        action.tries += 1
    facts: dict[str, object] = {"delivered": delivered}
    await book.move(actions, State.PENDING_REVIEW, facts=facts | {"reviewing": begun})
    await checkpoint(Point.CLAIMED)
    number = actions[0].opening.attempt
    parts = await asyncio.to_thread(_load_parts, actions, book.vault)
    if parts is None:
        why = "The evidence for a review is no longer kept."
        await reject((), beyond=actions, book=book, why=why)
        return
    verdict = join_verdicts(
        [
            await review_attempt(
                part.attempted, by=reviewers, attempt=part.attempt, judged=part.judged
            )
            for part in parts
        ]
    )
    await checkpoint(Point.REVIEWED)
    unseen = [action for action in actions if action.opening.call in verdict.unchecked]
    step, verdict = (
        (Step.DISPUTE, verdict)
        if delivered
        else choose_step(verdict, attempt=number, reviewers=reviewers, standing=actions)
    )
    turn = parts[0].attempted.turn.id
    book.keep_later(book.build_review(verdict, turn=turn, attempt=number, late=True))
    end = _End(actions=actions, beside=beside, parts=parts, book=book)
    match verdict.standing:
        case Standing.UNCHECKED if requires_verdict(unseen) and not delivered:
            why = "It was not reviewed, and its tool requires a review."
            await end.undo(why)
        case Standing.ACCEPTED | Standing.UNCHECKED:
            await settle_reviewed(actions, verdict, book=book, late=True)
            await checkpoint(Point.MARKED)
        case Standing.REJECTED | Standing.UNREVIEWED if step is Step.DISPUTE and verdict.errors:
            await end.dispute(Rejection(verdict.errors))
        case Standing.REJECTED:
            await end.undo(Rejection(verdict.errors))
        case Standing.UNREVIEWED if step is Step.GIVE_UP:
            why = "No verdict, and its tool requires one."
            await end.undo(why)
        case Standing.UNREVIEWED:
            why = "No verdict."
            await book.move(actions, State.PENDING_REVIEW, why=why, facts=facts)


async def finish_rejection(
    actions: Sequence[tuple[LiveAction, Fate]], *, book: JournalWriter
) -> None:
    """Calls that turn out to have happened after their attempt was rejected go the same way.

    They are not looked at on their own: what was wrong may be what they were done with.
    """
    doomed = [action for action, fate in reversed(actions) if fate is Fate.UNDO]
    beyond = [action for action, fate in actions if fate is Fate.DISPUTE]
    why = "Its attempt was rejected before it was known that it happened."
    taken = await reject(doomed, beyond=beyond, book=book, why=why)
    await undo_actions(taken, book=book)


class _Part(Struct, frozen=True, kw_only=True):
    """What is known of an attempt, or of one inside it."""

    attempted: Attempted
    attempt: int
    judged: bool
    undeclared: Sequence[UndeclaredCall]


class _End(Struct, frozen=True, kw_only=True):
    """A rejection after the fact, of all that there is of an attempt."""

    actions: Sequence[LiveAction]
    beside: Beside
    parts: Sequence[_Part]
    book: JournalWriter

    async def undo(self, why: str) -> None:
        """Undo what can be undone, and put the rest before a person."""
        await self._record_undeclared(why)
        fates = [(each, choose_fate(each, self.actions)) for each in self.beside.unsettled]
        doomed = await reject(
            list(reversed(self.actions)),
            held=self.beside.held,
            unsettled=fates,
            book=self.book,
            why=why,
        )
        await undo_actions(doomed, book=self.book)

    async def dispute(self, why: str) -> None:
        """Put all of it before a person."""
        await self._record_undeclared(why)
        fates = [(each, Fate.DISPUTE) for each in self.beside.unsettled]
        held, book = self.beside.held, self.book
        await reject((), held=held, beyond=self.actions, unsettled=fates, book=book, why=why)

    async def _record_undeclared(self, why: str) -> None:
        """First: once the others are on record as rejected, this attempt is not reviewed again."""
        calls = [call for part in self.parts for call in part.undeclared]
        await record_undeclared_late(calls, book=self.book, why=why)


def _load_parts(actions: Sequence[LiveAction], vault: Vault) -> list[_Part] | None:
    """An attempt and those inside it; `None` when one of their turns is not known any more."""
    by_turn: dict[str | None, list[LiveAction]] = {}
    for action in actions:
        by_turn.setdefault(action.opening.turn, []).append(action)
    parts = [_load_part(part, vault) for part in by_turn.values()]
    return [part for part in parts if part] if all(parts) else None


def _load_part(actions: Sequence[LiveAction], vault: Vault) -> _Part | None:
    """The attempt as far as it was kept."""
    kept = [load_evidence(vault, action.opening, action=action.id) for action in actions]
    if any(evidence is None for evidence in kept):
        return None
    trail = load_trail(vault, [action.opening.parent or action.id for action in actions])
    turn = decode_turn(trail[0])
    history = max(
        (decode_history(part, turn) for part in trail), key=lambda each: len(each.entries)
    )
    turn = replace(turn, history=history)
    done = [
        replace(as_execution(action, turn), approved=vault.get(action.id, LET_RUN) is not None)
        for action in actions
    ]
    # Told twice where two calls were put on record at the same time.
    shown = {each.call.id: each for part in trail for each in decode_executions(part)}
    earlier = {e.call.id: e for part in trail for e in decode_executions(part, part="earlier")}
    undeclared = [call for part in trail for call in decode_undeclared(part)]
    acted = {action.opening.call or action.id for action in actions}
    attempted = Attempted(
        turn=turn,
        # Ids are in the order of time.
        executions=tuple(sorted([*shown.values(), *done], key=lambda each: each.call.id)),
        earlier=(
            *history.executions,
            *sorted(earlier.values(), key=lambda each: each.call.id),
        ),
        facts=gather_existing_ids(actions),
        acted=frozenset(acted | {call.id for call in undeclared}),
    )
    judged = any(action.declaration.review.judged for action in actions)
    number = actions[0].opening.attempt
    return _Part(attempted=attempted, attempt=number, judged=judged, undeclared=undeclared)


_ANYTHING = "anything"
"""What is concerned by an action whose tool does not say what it is about."""


def split_lines(actions: Iterable[LiveAction]) -> list[list[LiveAction]]:
    """The actions in lines, the newest of each first; nothing of one line concerns another.

    They may come from several turns, so that none of them was told to wait for the others.
    """
    joined = _Joined()
    ordered = sorted(actions, key=read_order, reverse=True)
    known = {each for action in ordered for each in action.objects}
    for action in ordered:
        around = known.intersection(list_outer(action.objects))
        joined.join([action.id, *action.after, *around, *(action.objects or [_ANYTHING])])
    lines: dict[Hashable, list[LiveAction]] = {}
    for action in ordered:
        lines.setdefault(joined.find(action.id), []).append(action)
    return list(lines.values())


class _Joined:
    """Names that belong together, found by one of them."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def find(self, name: Hashable) -> Hashable:
        """The one name that stands for all that it was joined with."""
        while (above := self._above.setdefault(name, name)) != name:
            self._above[name] = self._above[above]
            name = above
        return name

    def join(self, names: Sequence[Hashable]) -> None:
        """From now on these stand for each other."""
        first = self.find(names[0])
        for name in names[1:]:
            self._above[self.find(name)] = first


T = TypeVar("T")


class AbandonableTask:
    """What runs until it is over or taken away: then no step of it is made any more.

    A loop that was only run until a request was answered leaves it in the middle of an undo, and
    may go on with it at any time. Each step is made under a lock, so that the code that takes it
    away can do what is left without ever doing it twice.
    """

    def __init__(self) -> None:
        self._stepping = threading.RLock()
        self._works: dict[Coroutine[Any, Any, Any], tuple[Context, asyncio.Task[Any]]] = {}
        self._taken = False

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start it on the loop that runs here, whose end does not cancel it."""
        context = copy_context()
        context.run(carry_on, read_context().put(AbandonableTask, self))
        context.run(leave_waiting_thread)  # a step that is made elsewhere cannot be taken away
        create = asyncio.get_running_loop().create_task
        return self._start(work, context, create)

    def start_part(
        self, work: Coroutine[Any, Any, T], *, group: asyncio.TaskGroup
    ) -> asyncio.Task[T]:
        """Start a part of it beside the others."""
        return self._start(work, copy_context(), group.create_task)

    def take_away(self) -> None:
        """Close all that was begun, from any thread. What it had taken up is free again."""
        with self._stepping:
            self._taken = True
            for work, (context, task) in list(self._works.items()):
                _close(work, context)
                with suppress(RuntimeError):  # its loop is closed
                    task.get_loop().call_soon_threadsafe(task.cancel)

    def _start(
        self,
        work: Coroutine[Any, Any, T],
        context: Context,
        create: Callable[..., asyncio.Task[T]],
    ) -> asyncio.Task[T]:
        task = create(self._guard(work, context), context=context)
        self._works[work] = context, task
        task.add_done_callback(partial(self._forget, work))
        # Not among those that are cancelled when a loop ends: its starter waits for it.
        let_go(task)
        asyncio._unregister_task(task)  # noqa: SLF001 - a documented name, for custom tasks
        return task

    def _forget(self, work: Coroutine[Any, Any, Any], _: object) -> None:
        """It is over; what was cancelled before its first step is closed here."""
        self._works.pop(work, None)
        work.close()

    async def _guard(self, work: Coroutine[Any, Any, T], context: Context) -> T:
        try:
            return await self._make_steps(work)
        except GeneratorExit:
            # Its loop is gone, and it goes too.
            _close(work, context)
            raise

    @types.coroutine
    def _make_steps(self, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        step: Callable[[], Any] = partial(work.send, None)
        while True:
            with self._stepping:
                if self._taken:
                    raise asyncio.CancelledError
                try:
                    waits_for = step()
                except StopIteration as done:
                    result: T = done.value
                    return result
            try:
                given = yield waits_for
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - it is the work that is told
                step = partial(work.throw, error)
            else:
                step = partial(work.send, given)


def start_part(work: Coroutine[Any, Any, T], *, group: asyncio.TaskGroup) -> asyncio.Task[T]:
    """Start a part of the pass that goes on here, or of none, as when one is requested."""
    current = read_context().of(AbandonableTask)
    return group.create_task(work) if current is None else current.start_part(work, group=group)


def let_go(task: asyncio.Task[Any]) -> None:
    """Let a task go with its loop: without a warning, because the next pass finds what it
    leaves."""
    # As `asyncio.gather` does; there is no other way.
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001


def _close(work: Coroutine[Any, Any, Any], context: Context) -> None:
    """Let it leave in its own context: what it has set there is only put back there."""
    try:
        context.run(work.close)
    except (RuntimeError, ValueError):
        # This is its context, or it asks itself; or it waits where it leaves, and that is not
        # possible here.
        with suppress(RuntimeError, ValueError):
            work.close()


_report = logging.getLogger("mulligan")

_NO_ANSWER = "Not answered in time."

AT_ONCE = 16
"""Actions that are recovered at the same time."""

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (1, 30, 120, 300, 450))
"""Between one try and the next: five in a quarter of an hour."""

ENGINE_LIFE = timedelta(days=1)
"""How long a turn that an engine keeps may stand still before others review what it did."""

UNDER_UNDO = (State.UNDOING, State.UNDO_FAILED)
WAITING = (State.UNKNOWN, State.UNDO_FAILED, State.PENDING_REVIEW)
"""States that are looked at again after a pause, a longer one each time."""


def is_left_behind(state: State, *, mine: bool, gone: bool) -> bool:
    """Whether an open action is free and this process is not working on it.

    `mine`: its last entry was written here; `gone`: by a writer that will write no more.
    """
    return mine or gone or state in HOLDS


class Recovery(Struct, frozen=True, kw_only=True, weakref=True):
    """Takes up open actions that no process is working on, as far as this application has the
    code."""

    book: JournalWriter
    toolbox: Toolbox
    reviewers: Reviewers
    held: dict[str, Make] = field(default_factory=dict)
    missing: set[tuple[str, str]] = field(default_factory=set)
    """Tools of open actions that this application has not, once it was said."""

    @property
    def inspector(self) -> ActionInspector:
        """Looks at what it takes up."""
        return ActionInspector(book=self.book, toolbox=self.toolbox, reviewers=self.reviewers)

    async def run(self, only: Collection[str] | None = None) -> int:
        """Look after everything once, or after some actions only. How many were taken up.

        One that another process moves first, or that cannot be read, is left to the next pass.
        """
        await checkpoint(Point.RECOVERING)
        await self.book.record_late_results()
        found, left = await asyncio.to_thread(self._look_around, only)
        due = [action for action in left if self._is_due(action)]
        if not due:
            return 0
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
        """Look after one action now that was cut short, if that is due and it is free.

        Its state then: unchanged, where the process working on it is alive.
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
        due = await asyncio.to_thread(order_requested, due, book=self.book, toolbox=self.toolbox)
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

    def _look_around(self, only: Collection[str] | None) -> tuple[list[Action], list[Action]]:
        """What is open, and what of it was left behind."""
        found = self._list_open(only)
        # Asked at once: what a turn was at work on, it may have settled and let go of since.
        free = [action for action in found if not self._is_taken(action.id)]
        return found, self._find_left_behind(free)

    def _list_open(self, only: Collection[str] | None) -> list[Action]:
        journal, found = self.book.journal, list[Action]()
        if only is not None:
            return [each for each in map(journal.find_action, sorted(only)) if each is not None]
        while page := journal.list_open_actions(after=found[-1].id if found else "", limit=500):
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
            if is_left_behind(action.state, mine=action.writer == mine, gone=action.writer in gone)
        ]

    def _is_taken(self, action: str) -> bool:
        """Whether this process is working on it."""
        return action in self.book.live or action in self.book.recovered

    def _is_due(self, action: Action) -> bool:
        tries = action.detail.get("tries")
        if action.opening.durable and action.state is State.EXECUTED:
            # Its engine brings it to its review, unless that engine is no longer running.
            return self.book.has_stood(action, ENGINE_LIFE)
        if action.state is State.UNDO_FAILED and action.detail.get("for_a_person") is True:
            return False
        if action.state is State.HELD:
            return self.book.has_stood(action, _find_life(action))
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
            await checkpoint(Point.RECOVERED)
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
            approved = await asyncio.to_thread(self.book.journal.find_action, action.id)
            if approved is None or await self.inspector.hold_again(approved):
                return
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
        """End a hold whose time is up. Whether it has ended, or another process has moved it."""
        current = await asyncio.to_thread(self.book.journal.find_action, action.id)
        if current is None or current.version != action.version:
            return True
        if not self.book.has_stood(current, _find_life(current)):
            return False
        approved = action.state is State.APPROVED
        why = "It was approved, and not run in time." if approved else _NO_ANSWER
        await self.book.move([action], State.EXPIRED, why=why)
        return True

    async def _find_out(self, action: LiveAction) -> None:
        """Whether a call happened whose answer was not recorded."""
        if action.tries >= MOST_TRIES:
            why = (
                f"It was looked for {action.tries} times, and it is still unknown whether it "
                "happened."
            )
            await self.book.move([action], State.NEEDS_HUMAN, why=why)
            return
        # The name goes on it first: what ends the process that looks is counted too.
        action.tries += 1
        await self.book.move([action], State.UNKNOWN, why="It gave no answer.")
        await checkpoint(Point.CLAIMED)
        approved = await asyncio.to_thread(self.was_approved, action)
        tool = self.toolbox.find(action)
        # No caller waits for its answer any more, except where the run of a host or an engine goes
        # on.
        awaited = action.opening.durable or (tool is not None and tool.hosted)
        alone = approved and tool is not None and not awaited
        absent = State.NEEDS_HUMAN if alone else State.NOT_EXECUTED
        await settle([action], book=self.book, absent=absent)

    async def _undo(self, action: LiveAction) -> None:
        """Go on with an undo, or try one again that failed."""
        if action.tries > MOST_TRIES:
            if action.state is State.UNDOING:
                why = f"It was tried {action.tries} times, and failed each time."
                await self.book.move([action], State.UNDO_FAILED, why=why)
            return
        stuck = await asyncio.to_thread(self._describe_blocker, action)
        if stuck:
            if action.state is State.UNDOING:
                await self.book.move([action], State.UNDO_FAILED, why=stuck)
            return
        action.tries += 1
        await self.book.move([action], State.UNDOING, why="It is tried again.")
        await checkpoint(Point.CLAIMED)
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
        """Attempts whose turn ended before their review, each as a whole.

        One with a call that is still looked for waits, also while that look is not due.
        """
        uncertain = {_build_group_key(action) for action in left if action.state in UNCERTAIN}
        waiting = [
            a for a in due if a.state in AWAITING_REVIEW and _build_group_key(a) not in uncertain
        ]
        ordered = sorted(waiting, key=lambda a: (_build_group_key(a), read_order(a)))
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
        actions = [action for action in actions if action.state in AWAITING_REVIEW]
        if not actions:
            return
        # What cannot be undone is treated as delivered: a rejection then needs attention.
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
        """The other calls of the same attempt: those that await approval or an answer."""
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


def _find_life(hold: Action) -> timedelta:
    """How long a hold waits."""
    return find_expiry(hold.detail, changed_at=hold.changed_at) - hold.changed_at


def _count_reviews_begun(action: Action) -> int:
    """How many reviews in a row were begun and never finished."""
    begun = action.detail.get("reviewing")
    return begun if isinstance(begun, int) else 0


def _build_group_key(action: Action) -> tuple[str, bool]:
    """What is reviewed together: an attempt's reversible actions, or one call on its own."""
    whole = action.opening.whole
    if whole is not None and action.opening.effect is Effect.REVERSIBLE:
        return whole, True
    return action.id, False


class ActionInspector(Struct, frozen=True, kw_only=True):
    """Looks at actions with their tools' own functions."""

    book: JournalWriter
    toolbox: Toolbox
    reviewers: Reviewers

    async def check_edited(
        self, action: Action, changes: Mapping[str, object]
    ) -> Sequence[str] | None:
        """What is wrong with a held call as a person has changed it: what its annotations do not
        take, else the errors that the checks find, with the changes as that person's words.

        `None`: its tool is not here. No model is asked.
        """
        known = self.toolbox.take_up(action, self.book.vault)
        if known is None:
            return None
        changed, wrong = restore_edited(changes, known.declaration, action.opening)
        kept = load_evidence(self.book.vault, action.opening, action=action.id)
        if wrong or kept is None:
            return wrong or None
        known.record = replace(known.record, arguments={**known.record.arguments, **changed})
        turn = decode_turn(kept)
        history = decode_history(kept, turn)
        turn = hear_changes(replace(turn, history=history), changed)
        proposed = replace(as_execution(known, turn), outcome=Outcome.UNKNOWN)
        attempted = Attempted(
            turn=turn,
            executions=(*decode_executions(kept), proposed),
            earlier=(*history.executions, *decode_executions(kept, part="earlier")),
        )
        computed = replace(self.reviewers, judge=None, gathers=(), tell=lambda _: None)
        number = action.opening.attempt
        verdict = await review_attempt(attempted, by=computed, attempt=number, judged=False)
        return [each.issue for each in verdict.errors if each.call == proposed.call.id]

    async def hold_again(self, action: Action) -> bool:
        """Put an approved call back before a person, as its agent had asked for it, if what was
        changed of it is refused here: the process that approved it may not have had the code."""
        book, vault = self.book, self.book.vault
        edited = await asyncio.to_thread(load_edited, vault, action.id)
        wrong = await self.check_edited(action, edited[0]) if edited else None
        known = self.toolbox.take_up(action, vault) if wrong else None
        if edited is None or not wrong or known is None:
            return False
        why = " ".join(f"{each.rstrip('.')}." for each in wrong)
        await book.move(
            [known],
            State.HELD,
            keep=keep_as_asked(vault, action.id, edited[1]),
            why=f"It was approved with other arguments, and not made with them: {why}",
            facts={"expires_at": (book.clock() + book.hold_life).isoformat()},
        )
        return True

    async def read_now(self, action: Action) -> object:
        """What is there now, as its tool reads it; `None` for nothing."""
        known = self._take_up(action)
        reader = known.callbacks.reader
        if reader is None:
            raise ConfigurationError(
                f"{action.opening.tool} declares no way to read what is there."
            )
        try:
            with leave_turns():
                return await call_here(
                    reader, known.record, within=known.declaration.remote.answers_within
                )
        except Exception as error:
            if says_gone(error):
                return None
            raise ConfigurationError(
                f"The current state could not be read: {describe_error(error)}."
            ) from error

    def list_later(self, action: Action) -> list[Action]:
        """Our own calls on the same objects that came after it and stand, the latest first."""
        known = self._take_up(action)
        if not known.objects:
            raise ConfigurationError(
                f"{action.opening.tool} does not declare what its calls are about, so it is "
                "unknown which of them came after this one on the same object. Undo them one by "
                "one, the latest first."
            )
        later = self.book.history.list_later(action.id, known.objects, since=action.opened_at)
        return [each.action for each in later if each.stands]

    def _take_up(self, action: Action) -> LiveAction:
        known = self.toolbox.take_up(action, self.book.vault)
        if known is None:
            raise ConfigurationError(self.toolbox.describe_missing(action))
        return known

    def describe_missing(self, action: Action) -> str:
        """Why nothing can be done about an action here; empty where it can."""
        known = self.toolbox.take_up(action, self.book.vault)
        return self.toolbox.describe_missing(action) if known is None else ""
