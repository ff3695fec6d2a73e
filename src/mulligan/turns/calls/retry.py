"""One call of a tool with all its tries, from the first to the last that is safe, and one that a
person approved: run by the process that has the code, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from mulligan.core.action import Request, State
from mulligan.core.call import Execution, Outcome
from mulligan.core.effect import Mode, ProbeBy, Repeat
from mulligan.core.errors import JournalError, StaleEntryError, StoreError
from mulligan.core.happened.event import CallRepaired
from mulligan.core.record import Record
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.points import Point, reach
from mulligan.loops.calls import Knowing, Retrying, UnsureError, retry_call
from mulligan.turns.calls.live import LiveCall, begin_call
from mulligan.turns.calls.outcome import end_call, note_failure, was_stopped
from mulligan.turns.calls.rows import label_opening, log_success
from mulligan.turns.calls.runtime import Make
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal import late_answers
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.landing import Landing, adopt, look, settle_approved
from mulligan.turns.journal.late_answers import CAME_BACK_LATE
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.journal.refusal import verify_refusal
from mulligan.turns.journal.waiter import ON_LOOP
from mulligan.turns.tools.declaration import is_async
from mulligan.turns.tools.steering import is_deferral
from mulligan.turns.tools.tries import is_made_once
from mulligan.undo.abilities import call_ability

THERE_ALREADY = (
    "It was approved and is there already, though nothing here says that it was made: this store "
    "may have been put back from a copy. It was not made again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of a call with all its tries."""

    last: Execution
    """A success, or the failure that ended it."""
    nothing_happened: bool
    """It is proven of every try that it changed nothing."""
    unheard: bool = False
    """It was made, and so may be an earlier try, which gave no answer and may still land."""


async def try_call(call: LiveCall) -> Tried:
    """Make a call that has begun, again where that is safe. Only what stops it is raised."""
    try:
        result = await call.make()
    except BaseException as error:
        failed = await note_failure(call, error)
        if was_stopped(error):
            raise
    else:
        last = await _verify(call, await end_call(call, result))
        return Tried(last=last, nothing_happened=_is_without_effect([last]))
    return await rescue(call, failed)


async def rescue(first: LiveCall, failed: Execution) -> Tried:
    """What came of a failed call in the end: a later try's success, or the final failure."""
    failed = await _verify(first, failed)
    if first.has_changed():
        # The tool has taken something out of what it was given: the same call cannot be made.
        return Tried(last=failed, nothing_happened=_is_without_effect([failed]))

    async def try_again(number: int) -> Execution:
        if first.require_lease is not None:
            first.require_lease()
        again = first.begin_again(try_number=number)
        try:
            result = await again.make()
        except BaseException as error:
            later = await note_failure(again, error)
            if was_stopped(error):
                raise
            return await _verify(first, later)
        return await _verify(first, await end_call(again, result))

    declaration = first.tool.declaration
    executions = await retry_call(
        failed,
        again=try_again,
        effect=declaration.classify_effect(first.arguments),
        repeat=declaration.repeat,
        mode=declaration.mode,
        using=_build_retrying(first),
    )
    last = await _read_again(first, last=executions[-1])
    if last.outcome is Outcome.SUCCESS:
        by = first.follows.by if first.follows is not None else ""
        first.tool.runtime.events.publish(
            CallRepaired(call=last.call.id, tool=last.call.tool, tries=last.try_number, by=by)
        )
    earlier = [each.failure for each in executions[:-1] if each.failure is not None]
    unheard = declaration.repeat is Repeat.IDEMPOTENT and last.outcome is Outcome.SUCCESS
    return Tried(
        last=last,
        nothing_happened=_is_without_effect(executions),
        unheard=unheard and not all(failure.nothing_done for failure in earlier),
    )


async def _verify(call: LiveCall, failed: Execution) -> Execution:
    """A try as it is known to have ended: what refused it may have done so after the effect."""
    return await verify_refusal(failed, records=call.records, declared=call.tool.declaration)


def _build_retrying(first: LiveCall) -> Retrying:
    tool, runtime = first.tool, first.tool.runtime
    traffic = tool.traffic.find(first.labels.tenant)
    return Retrying(
        budget=traffic.budget,
        breaker=traffic.breaker,
        backoff=runtime.backoff,
        sleep=first.waiter.sleep,
        chance=runtime.chance.random,
        monotonic=runtime.monotonic,
        announce=runtime.events.publish,
        knowing=_build_knowing(first),
    )


def _is_without_effect(executions: Iterable[Execution]) -> bool:
    failures = [execution.failure for execution in executions]
    return all(failure is not None and failure.nothing_done for failure in failures)


def _build_knowing(first: LiveCall) -> Knowing:
    """What the tool can find out about a call of its own."""
    declaration = first.tool.declaration
    age = timedelta(microseconds=first.tool.runtime.wall_us() - first.at_us)
    record = first.record or Record(arguments=first.arguments, key=first.key or first.id)

    async def look_for_it() -> Execution | None:
        seen = await look(record, declaration)
        if seen.landing is Landing.UNSURE:
            raise UnsureError(seen.why)
        if seen.landing is Landing.ABSENT:
            return None
        found = first.begin_again(try_number=first.try_number + 1)
        log_success(found, seen.result)
        return found.describe_success()

    can = declaration.abilities
    can_look = can.probe is not None and declaration.each is None
    return Knowing(
        look=look_for_it if can_look else None,
        once=is_made_once(),
        keyed=first.key is not None and age < declaration.key_life,
        lands_within=declaration.lands_within + declaration.settles_within,
        deletes=declaration.deletes,
        refresh=partial(call_ability, can.refresh, record) if can.refresh is not None else None,
        in_progress=can.in_progress,
    )


async def _read_again(first: LiveCall, *, last: Execution) -> Execution:
    """After a conflict: what is there now, for the agent to decide on."""
    tool = first.tool
    failure, reader = last.failure, tool.declaration.abilities.reader
    if failure is None or not failure.error_class.traits.rereads or reader is None:
        return last
    if tool.declaration.mode is Mode.OBSERVE or (first.waiter is not ON_LOOP and is_async(reader)):
        # A sync tool cannot wait for it.
        return last
    try:
        now = await call_ability(
            reader, first.record or Record(arguments=first.arguments, key=first.key or first.id)
        )
    except Exception as error:  # noqa: BLE001 - a user's function; the conflict is what matters
        tool.warn("What is there now could not be read for %s", error)
        return last
    return replace(last, failure=replace(failure, now=now))


async def release(action: LiveAction, *, tool: Tool, make: Make | None, book: Book) -> None:
    """Run an approved call with what was kept of it."""
    # Before it is on record as begun: what cannot be made must not look as if it might have been.
    prepared = make or tool.prepare_call(action.record)
    # Whoever held it knows that nobody has made it. Elsewhere its store may be one put back from a
    # copy, which knows of the approval and not of what came of it.
    made_before = make is None and await _is_there_already(action)
    await claim(action, book=book)
    if made_before:
        await book.move([action], State.NEEDS_HUMAN, why=THERE_ALREADY)
        return
    call = begin_call(tool, ((), dict(action.record.arguments)), waiter=ON_LOOP)
    call.labels = label_opening(action.opening)
    await run_claimed(action, call=call.with_maker(prepared), book=book)


async def _is_there_already(action: LiveAction) -> bool:
    """Whether a look finds the very call by its key; without one it might find another's."""
    declaration = action.declaration
    looks_for_key = declaration.key is not None and declaration.probe_by is ProbeBy.CALL
    if declaration.abilities.probe is None or not looks_for_key:
        return False
    return (await look(action.record, declaration)).landing is Landing.LANDED


async def claim(action: LiveAction, *, book: Book) -> None:
    """Put it on disk that an approved call is about to be made: nobody makes it a second time."""
    await book.move([action], State.INTENT, why="A person approved it.")
    await reach(Point.RELEASED)


async def run_claimed(action: LiveAction, *, call: LiveCall, book: Book) -> Tried:
    """Make an approved call, and write down what came of it."""
    call.key, call.record, call.records = action.opening.key, action.record, (action.record,)
    call.require_lease = partial(book.require_lease, [action], to=Request.CALL)
    call.require_lease()
    try:
        tried = await try_call(call)
        await reach(Point.CALLED)
    except BaseException as error:
        await write_stopped([action], error, book=book)
        raise
    try:
        await _write_release(action, tried, book=book)
    except StaleEntryError:
        late_answers.remember([action], why=CAME_BACK_LATE, book=book)
        await late_answers.tell(book)
    except StoreError:
        late_answers.remember([action], why=CAME_BACK_LATE, book=book)
        raise
    return tried


async def write_stopped(actions: Sequence[LiveAction], error: BaseException, *, book: Book) -> None:
    """Write down that a call was stopped: put off it did nothing, else only a look can tell."""
    if is_deferral(error):
        await book.move(actions, State.NOT_EXECUTED, why="Its framework has put it off.")
        return
    why = f"It was stopped on its way ({type(error).__name__})."
    try:
        await book.move(actions, State.UNKNOWN, why=why)
    except (JournalError, StoreError):
        # It may have been sent, and others may have looked before that.
        late_answers.remember(actions, why=why, book=book)
        await late_answers.tell(book)


async def _write_release(action: LiveAction, tried: Tried, *, book: Book) -> None:
    failure = tried.last.failure
    if failure is None:
        await adopt([action], [tried.last.result], book=book)
        await reach(Point.EXECUTED)
        await settle_approved([action], book=book)
    elif tried.nothing_happened:
        why = failure.error_class.value
        await book.move([action], State.NOT_EXECUTED, why=why)
    else:
        await book.move([action], State.UNKNOWN, why=failure.error_class.value)
