"""Mistakes of belief: in an error, a first look, a reader, equal names, one's own memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from bench.crash.mutants.planting import mutant, plant_in, swap
from mulligan.loops import actions
from mulligan.loops.actions import Attempted, Looks
from mulligan.loops.calls import retry_call
from mulligan.runtime import (
    assessment,
    declaration,
    journaled_call,
    outcome,
    probe,
    retry,
    rollback,
    tool_identity,
    waiting,
)
from mulligan.runtime import undo as undoing
from mulligan.runtime.assessment import Observation, Undone, UndoPolicy
from mulligan.runtime.call import ActiveCall
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.declaration import HOMES, Declared
from mulligan.runtime.journal import JournalWriter, ObjectHistory
from mulligan.runtime.live_action import LiveAction, find_objects
from mulligan.runtime.waiting import BootTime, SteadyClock
from mulligan.stores.relational.vault import Safe
from mulligan.types.action import STATE_AFTER, State, UndoResult
from mulligan.types.call import Failure, Record
from mulligan.types.effect import Effect, Repeat
from mulligan.types.failure import ErrorClass


def _believe(*classes: ErrorClass) -> None:
    """Take errors of some classes for proof that nothing happened."""
    proves = outcome._proves_nothing_done

    def believing(call: ActiveCall, error: BaseException, failure: Failure) -> bool:
        return failure.error_class in classes or proves(call, error, failure)

    swap(proves, believing)


@mutant("create, bad_request_after", "create, forbidden_after", "book, second forbidden")
def a_status_is_taken_for_nothing_happened() -> None:
    _believe(ErrorClass.VALIDATION, ErrorClass.POLICY, ErrorClass.CONFLICT, ErrorClass.MISSING)


@mutant("busy_after")
def a_rate_limit_is_taken_for_nothing_happened() -> None:
    _believe(ErrorClass.RATE_LIMIT)


@mutant("second refused")
def not_sent_speaks_for_every_request() -> None:
    _believe(ErrorClass.NOT_SENT)


@mutant("pay and tell")
def an_irreversible_call_is_made_again() -> None:
    async def as_harmless(failed: Any, **using: Any) -> Any:
        if using["effect"] is Effect.IRREVERSIBLE:
            using |= {"effect": Effect.REVERSIBLE, "repeat": Repeat.IDEMPOTENT}
        return await retry_call(failed, **using)

    swap(retry_call, as_harmless)


def _mishear(**words: Any) -> None:
    """Have tools be declared as if their authors had said something else, or (`None`) nothing."""
    read = declaration.read_declaration
    unknown = set(words) - set(Declared.__annotations__) - set(HOMES)
    if unknown:
        raise AttributeError(f"No tool can say {', '.join(sorted(unknown))}.")

    def read_otherwise(tool: Any, said: Any) -> Any:
        heard = {name: words.get(name, word) for name, word in said.items()}
        heard |= {name: word for name, word in words.items() if word is not None}
        return read(tool, {name: word for name, word in heard.items() if word is not None})

    swap(read, read_otherwise)


@mutant("second refused")
def every_tool_is_one_request() -> None:
    _mishear(requests=1)


@mutant("behind by a time")
def replicas_are_not_waited_for() -> None:
    _mishear(settles_within=None)


@mutant("naive probe, a person edits alike (wrong): edit")
def a_probe_of_state_is_adopted() -> None:
    _mishear(probe_by="call")


@mutant("two updates of one")
def what_a_call_is_about_is_not_heard() -> None:
    _mishear(about=None)


@mutant("behind by a write")
def the_first_look_of_an_undo_is_believed() -> None:
    def believing(observed: Observation, policy: UndoPolicy) -> Undone:  # noqa: ARG001
        return Undone(result=UndoResult.RESTORED, version=observed.version)

    swap(assessment._assess_as_before, believing)


@mutant("hidden as")
def a_reader_without_permission_sees_nothing_there() -> None:
    read = undoing._read

    async def as_seen(record: Record, policy: UndoPolicy, **_: Any) -> Observation:
        return await read(record, policy, seen=True)

    swap(read, as_seen)
    swap(assessment.says_gone, lambda error: getattr(error, "status", None) in (403, 404))


@mutant("shared parent")
def what_a_call_is_about_is_guessed() -> None:
    def guess(record: Record, declaration: Any) -> frozenset[tuple[str, str]]:
        named = undoing.find_named_ids(record) - {record.arguments.get("mark"), record.key}
        return frozenset((declaration.server, str(each)) for each in named)

    swap(find_objects, guess)


@mutant("undo of the later refused")
def no_call_builds_on_another() -> None:
    def leave_alone(actions: Any) -> None:
        for action in actions:
            action.after = ()

    # Either would do by itself: the history of an object orders what is undone, too.
    swap(rollback.line_up, leave_alone)
    plant_in(ObjectHistory, list_later=lambda *_, **__: [])


@mutant("results changed (wrong): rival", "results changed (wrong): edit")
def a_result_is_not_copied() -> None:
    def hand_over(result: object, actions: Sequence[object]) -> list[object]:
        several = isinstance(result, list) and len(actions) > 1
        return list(result) if several else [result] * len(actions)  # type: ignore[call-overload]

    swap(journaled_call.split_result, hand_over)


@mutant("nothing was there (wrong): edit")
def a_missing_snapshot_sends_no_condition() -> None:
    require = journaled_call.require_version

    async def require_what_is_there(call: ActiveCall, actions: Any) -> None:
        if any(action.record.before is not None for action in actions):
            await require(call, actions)

    swap(require, require_what_is_there)


@mutant("probe that compares, a person edits alike (wrong): edit")
def a_live_probe_gets_no_before() -> None:
    look = probe.probe

    async def look_without(record: Record, declaration: Any) -> Any:
        return await look(replace(record, snapshot=None), declaration)

    plant_in(retry, probe=look_without)


@mutant("bulk create")
def an_unknown_bulk_may_be_repeated() -> None:
    refuse = journaled_call.refuse_repeats

    def refuse_others(call: ActiveCall, turn: OpenTurn) -> None:
        if call.tool.declaration.each is None:
            refuse(call, turn)

    plant_in(journaled_call, refuse_repeats=refuse_others)


@mutant("bulk create", "create, reset_after")
def repeats_are_not_refused() -> None:
    plant_in(journaled_call, refuse_repeats=lambda call, turn: None)  # noqa: ARG005


@mutant("clock forward")
def lands_within_by_the_wall_clock() -> None:
    def by_the_wall(clock: Any) -> SteadyClock:
        return lambda: BootTime("the wall", clock().timestamp())

    swap(waiting.choose_steady, by_the_wall)


@mutant("store flips (wrong): kill")
def a_kept_value_is_not_held_against_its_checksum() -> None:
    def unchecked(self: Safe, row: Any, *, signer: Any) -> bytes:  # noqa: ARG001
        owner, name, value, locked, *_ = row
        return self._seal.unlock(value, locked=bool(locked), owner=owner, name=name)

    plant_in(Safe, open=unchecked)


@mutant("looked at in part (only moves)")
def a_checks_silence_about_another_tool_counts() -> None:
    look_at = actions.look_at

    def look_at_all(attempted: Attempted, checks: Any, read: Any) -> Looks:  # noqa: ARG001
        return look_at(attempted, checks, {each.call.id for each in attempted.executions})

    swap(look_at, look_at_all)


@mutant("looked at in part (fact of moves)")
def a_fact_about_one_call_confirms_another() -> None:
    with_facts = Looks.with_facts

    def speak_for_all(self: Looks, attempted: Attempted) -> Looks:
        every = tuple(each.call.id for each in attempted.executions)
        facts = tuple(replace(fact, calls=every) for fact in attempted.facts)
        return with_facts(self, replace(attempted, facts=facts))

    plant_in(Looks, with_facts=speak_for_all)


@mutant("our own later call, over a late one")
def whatever_is_there_is_a_later_calls_work() -> None:
    async def believe(action: LiveAction, *, calls: Any, now: object, book: JournalWriter) -> bool:  # noqa: ARG001
        return bool(calls)

    swap(probe._is_theirs, believe)


@mutant("another client")
def a_tool_is_known_by_all_that_it_holds() -> None:
    find = tool_identity.find_binding

    def find_all(tool: Any, callbacks: Any) -> tool_identity.Binding:
        found = find(tool, callbacks)
        return replace(found, account=f"{found.account}{found.texts}")

    swap(find, find_all)


@mutant("hold approved (right)")
def an_approval_is_taken_for_a_review() -> None:
    async def verify(actions: Sequence[LiveAction], *, book: JournalWriter) -> None:
        await book.move(actions, State.VERIFIED)

    swap(probe.settle_approved, verify)


@mutant("undo refused (wrong): rival")
def an_undo_that_failed_is_called_done() -> None:
    STATE_AFTER[UndoResult.FAILED] = State.UNDONE


@mutant("undo lost, reads fail (wrong): rival")
def an_undo_nobody_could_read_back_is_called_done() -> None:
    STATE_AFTER[UndoResult.UNKNOWN] = State.UNDONE


@mutant("undo refused (wrong): rival")
def the_agent_is_told_that_all_is_taken_back() -> None:
    take_all = rollback.undo_all

    async def boast(*args: Any, **using: Any) -> Any:
        taken = await take_all(*args, **using)
        return [replace(each, result=UndoResult.RESTORED) for each in taken]

    swap(take_all, boast)
