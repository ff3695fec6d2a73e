"""A call that gave no answer, or was refused: what a probe says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import decode_value, to_plain
from mulligan.process.fault_points import Point, checkpoint
from mulligan.process.user_functions import call_here
from mulligan.runtime.assessment import (
    describe_error,
    find_contradiction,
    find_version_field,
    is_restored,
    is_same_state,
    is_unchanged,
    is_work_of,
    name_state,
)
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.journal import JournalWriter, OwnCall
from mulligan.runtime.live_action import (
    LiveAction,
    copy_value,
    read_left_version,
    read_order,
    read_version,
)
from mulligan.runtime.waiting import BootTime
from mulligan.types.action import STILL_THERE, Action, ActionQuery, State
from mulligan.types.call import Execution, Failure, Outcome, Record, Snapshot
from mulligan.types.display import format_value
from mulligan.types.effect import EffectNote, ProbeBy, Repeat, read_effect_note
from mulligan.types.errors import ConflictError

_NOT_THERE = {
    State.NOT_EXECUTED: "A probe shows that it had no effect.",
    State.NEEDS_HUMAN: (
        "A person approved it, and the process that ran it ended. A probe shows that it did not "
        "happen. Have it requested again, then settle this one as not executed."
    ),
}


class ProbeResult(StrEnum):
    """Whether a call took effect."""

    LANDED = "landed"
    ABSENT = "absent"
    """It has not, as of now. Too soon, it may still."""
    UNSURE = "unsure"


class Seen(Struct, frozen=True, kw_only=True):
    """What a look found."""

    found: ProbeResult
    result: object = None
    """What the call returned or would have, where it landed."""
    why: str = ""
    for_a_person: bool = False
    """Looking again will tell no more."""
    by_state: bool = False
    """It goes by what is there, which is also the work of every later writer."""
    state: object = None
    """What is there, where it goes by that."""


async def probe(record: Record, declaration: Declaration) -> Seen:
    """Whether a call landed: by its probe, else by its snapshot that is still there.

    What can only be seen to be there now is never taken for ours: it may be a person's edit.
    """
    can = declaration.callbacks
    try:
        if is_probed_by_call(declaration):
            return await _look_by_call(record, declaration)
        reader, blind = can.probe or can.reader, explain_blindness(record, declaration)
        if blind or reader is None:
            return Seen(found=ProbeResult.UNSURE, why=blind, for_a_person=True)
        now = await call_here(reader, record, within=declaration.remote.answers_within)
        await checkpoint(Point.PROBED)
        versions = await _read_known_versions(record, now, declaration)
        if is_unchanged(record, now, callbacks=can, versions=versions):
            return Seen(found=ProbeResult.ABSENT, by_state=True, state=now)
    except ConflictError as error:
        why = f"It seems to have happened, and was changed since: {format_value(error)}"
        return Seen(found=ProbeResult.UNSURE, why=why, for_a_person=True)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        why = f"It could not be looked at: {describe_error(error)}."
        return Seen(found=ProbeResult.UNSURE, why=why)
    why = "The state differs from before the call; whether this call changed it is unknown."
    return Seen(found=ProbeResult.UNSURE, why=why, for_a_person=True, by_state=True, state=now)


def is_probed_by_call(declaration: Declaration) -> bool:
    """Whether a tool finds a call itself again, and not only what is there."""
    return declaration.callbacks.probe is not None and declaration.probe_by is not ProbeBy.STATE


def explain_blindness(record: Record, declaration: Declaration) -> str:
    """Why it cannot be checked whether a call landed; empty where it can."""
    can = declaration.callbacks
    if is_probed_by_call(declaration):
        return ""
    if (can.probe or can.reader) is None or (can.before is None and can.probe is None):
        return (
            "Its tool declares no probe, so only a person can tell whether it happened. Declare "
            "probe=…, and refuses=… for errors that it raises before it changes anything."
        )
    if record.snapshot is None and (can.before is not None or declaration.deletes):
        # Never read, which is not the same as nothing.
        return "The state before the call was not read, so a look proves nothing."
    return ""


async def _look_by_call(record: Record, declaration: Declaration) -> Seen:
    probe, within = declaration.callbacks.probe, declaration.remote.answers_within
    result = await call_here(probe, copy_value(record), within=within) if probe else None
    await checkpoint(Point.PROBED)
    if result is None:
        return Seen(found=ProbeResult.ABSENT)
    changed = find_contradiction(to_plain(dict(record.arguments)), to_plain(result))
    if changed and declaration.probe_by is not ProbeBy.RECEIPT:
        why = (
            f"It happened, and {changed} is not what it was given: it seems to have been changed "
            "since."
        )
        return Seen(found=ProbeResult.UNSURE, why=why, for_a_person=True)
    return Seen(found=ProbeResult.LANDED, result=result)


def is_unheard(failed: Execution, declared: Declaration) -> bool:
    """Whether a call gave no answer, so that what a look finds is its answer.

    Else its tool has said itself what went wrong: that is what its caller is told, also where a
    look finds that it took effect. Of one request that was refused, it was a repeat in flight.
    """
    failure = failed.failure
    if failure is None:
        return False
    note = read_effect_note(failure.error)
    if note in (EffectNote.SOMETHING_DONE, EffectNote.DONE, EffectNote.UNHEARD):
        return note is EffectNote.UNHEARD
    repeated = failure.refused or (failure.answered and declared.remote.requests == 1)
    return failed.outcome is Outcome.UNKNOWN or repeated


async def settle(
    actions: Sequence[LiveAction], *, book: JournalWriter, absent: State = State.NOT_EXECUTED
) -> None:
    """Find out about actions with an unknown outcome, and write down what is certain.

    What is not there goes to `absent`: before a person, where one believes that it was done.
    """
    for action in actions:
        # Asked before the look: what it does not find may arrive while its answer is in flight.
        final = is_too_late_to_land(action, book)
        seen = await probe(action.record, action.declaration)
        if seen.by_state:
            seen = await _weigh_later(action, seen, book=book)
        await write_down(action, seen, final=final, book=book, absent=absent)


async def _weigh_later(action: LiveAction, seen: Seen, *, book: JournalWriter) -> Seen:
    """What a look says, seeing that our own later calls were at the same object, too."""
    if not action.objects:
        calls = await book.waiter.aside(partial(_list_possible_later, action, book=book))
        theirs = await _is_theirs(action, calls=calls, now=seen.state, book=book)
        return replace(seen, found=ProbeResult.ABSENT) if theirs else seen
    since = action.opened_at
    load = partial(book.history.list_later, action.id, action.objects, since=since)
    later = await book.waiter.aside(load)
    standing = [each for each in later if each.stands]
    unanswered = [each for each in later if each.may_stand and not each.beside]
    if await _is_put_back(action, later=later, now=seen.state, book=book):
        return replace(seen, found=ProbeResult.ABSENT)
    if not standing and (not unanswered or seen.found is ProbeResult.ABSENT):
        return seen
    calls = [each.action for each in reversed(standing)]
    if not unanswered and await _is_theirs(action, calls=calls, now=seen.state, book=book):
        return replace(seen, found=ProbeResult.ABSENT)
    name = (standing or unanswered)[0].action.opening.tool
    why = (
        f"{name} came after it on the same object, and the current state does not show whether "
        "this call happened too."
    )
    # Not yet for a person: that one may be undone, or found out about.
    return Seen(found=ProbeResult.UNSURE, why=why)


def _list_possible_later(action: LiveAction, *, book: JournalWriter) -> list[Action]:
    """Later calls of the same tool that found what this one found, or what one of them had left:
    those on its object, where that is not declared."""
    snapshot, opening = action.record.snapshot, action.opening
    if snapshot is None or snapshot.state is None:
        # Of nothing, everything that was made is a later state.
        return []
    wanted = ActionQuery(
        tenant=opening.tenant, tool=opening.tool, states=STILL_THERE, since=action.opened_at
    )
    listed = list(book.journal.list_actions(wanted))
    if len(listed) == wanted.limit:
        return []
    found: list[Action] = []
    there = to_plain(snapshot.state)
    for later in sorted(listed, key=read_order):
        elsewhere = later.id == action.id or later.opening.server != opening.server
        call = None if elsewhere else load_call(later, book=book)
        if call is not None and is_same_state(call.found, there):
            found, there = [*found, later], call.left
    return found


async def _is_put_back(
    action: LiveAction, *, later: Sequence[OwnCall], now: object, book: JournalWriter
) -> bool:
    """Whether our own undo has written what is there, and nothing of an action is in it.

    The undo of a later call restores what that one found. The undo of an earlier one restores what
    was there before both: whatever landed of this one is gone with it.
    """
    try:
        record, versions = (
            action.record,
            await _read_versions(action.record, now, action.declaration),
        )
        known = versions[1] is not None or now is None
        load = partial(book.history.find_undone, versions[1], action.objects)
        undone = await book.waiter.aside(load) if known else None
        if undone is None:
            return False
        if undone not in {each.action.id for each in later if not each.beside}:
            earlier = await book.waiter.aside(partial(book.journal.find_action, undone))
            if earlier is None or _is_alike(action, now=now, versions=versions):
                return False
            call = await book.waiter.aside(partial(load_call, earlier, book=book))
            record, now = replace(record, snapshot=Snapshot(call.found)), to_plain(now)
            versions = await _read_versions(record, now, action.declaration)
        return is_restored(record, now, callbacks=action.callbacks, versions=versions)
    except Exception:  # noqa: BLE001 - of a user's values and functions, or a store's
        return False


def _is_alike(action: LiveAction, *, now: object, versions: _Versions) -> bool:
    """Whether what is there is what a call would have left itself, which tells nothing of it."""
    if now is None:
        return action.declaration.deletes
    before, there = to_plain(action.record.before), to_plain(now)
    version = find_version_field(before, there, versions=versions)
    own: Any = to_plain(dict(action.record.arguments))
    return is_work_of([own], before=before, now=there, version=version)


_Versions = tuple[str | None, str | None]
_NONE: _Versions = (None, None)


async def _read_versions(record: Record, now: object, declaration: Declaration) -> _Versions:
    """Those of what was there before a call, and of what is there now."""
    can, within = declaration.callbacks, declaration.remote.answers_within
    was = await read_version(record.before, record=record, callbacks=can, within=within)
    return was, await read_version(now, record=record, callbacks=can, within=within)


async def _read_known_versions(record: Record, now: object, declaration: Declaration) -> _Versions:
    """The same, as far as they say more than the two states: those that are not compared are made
    of what is there."""
    try:
        return (
            await _read_versions(record, now, declaration)
            if declaration.undoing.compares
            else _NONE
        )
    except Exception:  # noqa: BLE001 - a user's function, made for what a call returns
        return _NONE


async def _is_theirs(
    action: LiveAction, *, calls: Sequence[Action], now: object, book: JournalWriter
) -> bool:
    """Whether all that has changed since an action is what later calls did, and nothing else.

    Each of them found what those before it had left, so that nothing came between.
    """
    if action.record.snapshot is None or not calls:
        return False
    try:
        versions = await _read_versions(action.record, now, action.declaration)
        before, there = to_plain(action.record.snapshot.state), to_plain(now)
        version = find_version_field(before, there, versions=versions)
        later = await book.waiter.aside(lambda: [load_call(each, book=book) for each in calls])
        alike = _is_alike(action, now=now, versions=versions)
    except Exception:  # noqa: BLE001 - of a user's values and functions, or a store's
        return False
    given = [call.given for call in later]

    def is_left(number: int, state: object) -> bool:
        """Whether it is what one of them left: all that it returned, or what it was given."""
        left = later[number].left
        return (left is not None and is_same_state(left, state)) or is_work_of(
            given[: number + 1], before=before, now=state, version=version
        )

    chained = is_same_state(before, later[0].found) and all(
        is_left(number, call.found) for number, call in enumerate(later[1:])
    )
    # Where its object is not declared, another one may be at that version.
    if action.objects and versions[1] is not None and versions[1] == later[-1].version:
        return chained
    return chained and not alike and is_left(len(later) - 1, there)


class OtherCall(NamedTuple):
    """Another call of ours, in plain values."""

    given: Mapping[str, object]
    found: object
    left: object
    """What it returned."""
    version: str | None


def load_call(call: Action, *, book: JournalWriter) -> OtherCall:
    """What is kept of a call."""
    kept = (book.vault.get(call.id, name) for name in ("arguments", "before", "result"))
    given, found, came = (None if value is None else decode_value(value) for value in kept)
    came = came if isinstance(came, dict) else {}
    return OtherCall(
        given=given if isinstance(given, dict) else {},
        found=found,
        left=came.get("result"),
        version=came.get("version"),
    )


async def write_down(
    action: LiveAction,
    seen: Seen,
    *,
    final: bool,
    book: JournalWriter,
    absent: State = State.NOT_EXECUTED,
) -> None:
    """Move an action whose outcome was unknown to what a look has shown, if that is certain."""
    after = conclude(seen, final=final, absent=absent)
    if after is None:
        return
    if seen.found is ProbeResult.LANDED:
        await record_result([action], [seen.result], book=book)
        action.looked_up = True
    else:
        unsure = seen.found is ProbeResult.UNSURE
        why = seen.why if unsure else _NOT_THERE[after]
        facts = {"now_at": await _name_seen(action, seen)} if seen.by_state and unsure else {}
        await book.move([action], after, why=why, facts=facts)
    if seen.found is not ProbeResult.UNSURE:
        action.on_settled(action)


async def _name_seen(action: LiveAction, seen: Seen) -> str | None:
    """What a person is shown, by its version: a person who confirms that it is ours means no later
    one."""
    try:
        version = await read_version(seen.state, record=action.record, callbacks=action.callbacks)
    except Exception:  # noqa: BLE001 - a user's function
        return None
    return name_state(seen.state, version)


def conclude(seen: Seen, *, final: bool, absent: State = State.NOT_EXECUTED) -> State | None:
    """What is certain of a call once it was looked for; `None`: that it must be looked for again.

    `final`: what is not there by now will not come any more.
    """
    match seen.found:
        case ProbeResult.LANDED:
            return State.EXECUTED
        case ProbeResult.ABSENT:
            return absent if final else None
        case ProbeResult.UNSURE:
            return State.NEEDS_HUMAN if seen.for_a_person else None


async def settle_approved(actions: Sequence[LiveAction], *, book: JournalWriter) -> None:
    """Write down that calls which a person let through were made.

    The person saw what was to be done, and not its result: that is no review of the outcome.
    """
    why = "A person approved it before it ran. The result was not reviewed."
    await book.move(actions, State.UNCHECKED, why=why)


async def record_result(
    actions: Sequence[LiveAction],
    results: Sequence[object],
    *,
    book: JournalWriter,
    facts: Mapping[str, object] | None = None,
    again: bool = False,
) -> None:
    """Write down that calls happened, with what they returned and the versions they left.

    `again`: that is the answer to a later try.
    """
    for action, result in zip(actions, results, strict=True):
        record = replace(action.record, result=result)
        version = None
        try:
            # What a delete leaves is nothing, whatever it returned: an undo must expect no version.
            if not action.declaration.deletes and not (again and _is_changed_since(record, action)):
                version = await read_left_version(
                    record,
                    callbacks=action.callbacks,
                    within=action.declaration.remote.answers_within,
                )
        except Exception:  # noqa: BLE001 - a user's function; unknown, an undo finds a conflict
            version = None
        action.record = record if version is record.version else replace(record, version=version)
    await book.mark_executed(actions, facts=facts)


def _is_changed_since(record: Record, action: LiveAction) -> bool:
    """Whether a remote that knew the key of a later try has answered with what another caller made
    of the object meanwhile: at that version it is not ours."""
    if action.declaration.repeat is not Repeat.KEYED:
        return False
    return bool(find_contradiction(to_plain(dict(record.arguments)), to_plain(record.result)))


def may_still_land(action: LiveAction, book: JournalWriter) -> bool:
    """Whether a try of a call that was made again may still be in flight."""
    return action.unheard_since is not None and not _has_settled(
        action, action.unheard_since, book=book
    )


def is_too_late_to_land(action: LiveAction, book: JournalWriter) -> bool:
    """Whether a request that is not there yet will not arrive, or show, any more.

    Counted from when it was given up, not from when it was asked for: the last try may have been
    sent just before, and a call that waited for a person long after it was asked for.
    """
    return _has_settled(action, action.given_up, book=book)


def _has_settled(action: LiveAction, since: BootTime | None, *, book: JournalWriter) -> bool:
    wait = action.declaration.remote.lands_within + action.declaration.remote.settles_within
    return book.has_passed(action.id, since, wait)


async def verify_refusal(
    failed: Execution, *, records: Sequence[Record], declared: Declaration
) -> Execution:
    """Count a refusal as proof that nothing was done, unless a look does not agree.

    A request that a proxy or a client repeats on its own takes effect with the first, and the
    second is refused: by its own condition, as made already, or as gone.
    """
    failure = failed.failure
    if failure is None or failure.nothing_done or not failure.refused:
        return failed
    if not await _agrees(failure, records, declared):
        return failed
    return replace(failed, failure=replace(failure, nothing_done=True))


async def _agrees(failure: Failure, records: Sequence[Record], declared: Declaration) -> bool:
    """Whether nothing visible contradicts a refusal."""
    looked_at = [each for each in records if _is_looked_at(each, failure, declared)]
    if not looked_at:
        return True
    if declared.remote.settles_within:
        # What a read shows may be from before the call: recovery looks once that is over.
        return False
    seen = [await probe(record, declared) for record in looked_at]
    return all(each.found is ProbeResult.ABSENT for each in seen)


def _is_looked_at(record: Record, failure: Failure, declared: Declaration) -> bool:
    """Whether there is something to hold a refusal against.

    To look for a call itself may call it off, so that it could not be made again: that is done for
    a remote's answer, and not for the word of a tool's author.
    """
    by_remote = read_effect_note(failure.error) is EffectNote.REFUSED
    if is_probed_by_call(declared) and not by_remote:
        return False
    return not explain_blindness(record, declared)
