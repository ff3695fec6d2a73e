"""A call inside an attempt: its snapshots, on record before it changes anything, and accounted
for afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.loops.actions import DATES
from mulligan.process.fault_points import Point, checkpoint
from mulligan.process.user_functions import call_here
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.advice import return_or_raise
from mulligan.runtime.assessment import describe_error
from mulligan.runtime.call import ActiveCall
from mulligan.runtime.context import (
    LiveAttempt,
    OpenTurn,
    carry_on,
    read_context,
)
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.hold import Held, answer_held, hold_call
from mulligan.runtime.journal import WITHIN, JournalWriter
from mulligan.runtime.live_action import LiveAction, as_execution, copy_value, read_version
from mulligan.runtime.outcome import build_proposal, is_own_refusal, log_settled, note_failure
from mulligan.runtime.payloads import LET_RUN, is_exact, load_edited, load_record
from mulligan.runtime.probe import ProbeResult, Seen, record_result, settle, write_down
from mulligan.runtime.promises import describe_binding
from mulligan.runtime.retry import Tried, call_with_retries, claim, run_claimed, write_stopped
from mulligan.runtime.review import bring_evidence, gather_evidence
from mulligan.runtime.tool import Make
from mulligan.types.action import Action, Kept, Opening, Request, State
from mulligan.types.call import Execution, Outcome, Record, Snapshot
from mulligan.types.display import format_value
from mulligan.types.effect import Effect, EffectNote, Release, read_effect_note
from mulligan.types.errors import (
    AlreadyDoneError,
    ConfigurationError,
    JournalError,
)
from mulligan.types.interfaces import Vault


async def take_snapshots(call: ActiveCall, turn: OpenTurn) -> list[LiveAction]:
    """The actions a reversible call consists of, each with its snapshot."""
    each, given = call.tool.declaration.each, dict(call.arguments)
    elements = given.get(each) if each is not None else None
    if each is None or not isinstance(elements, (list, tuple)) or not elements:
        parts, ids, parent = [given], [call.id], None
    else:
        parts = [given | {each: element} for element in elements]
        ids = [call.tool.runtime.make_id() for _ in parts]
        parent = call.id
    actions = [
        build_action(call, turn, arguments=part, id=name, parent=parent)
        for part, name in zip(parts, ids, strict=True)
    ]
    declared = call.tool.declaration
    if (before := declared.callbacks.before) is not None:
        within = declared.remote.answers_within
        for action in actions:
            # A copy: the tool may change the very object that it was read from.
            seen = copy_value(await call_here(before, action.record, within=within))
            action.record = replace(action.record, snapshot=Snapshot(seen))
    if len(actions) == 1:
        call.record = actions[0].record
    await checkpoint(Point.SNAPSHOT_TAKEN)
    return actions


async def require_version(call: ActiveCall, actions: Sequence[LiveAction]) -> None:
    """Have the call refused unless all is as its snapshots were read, where its tool can say so.

    Where nothing was there, the condition is that nothing is: else the call must not go on.
    """
    declared = call.tool.declaration
    name = declared.if_version
    if name is None:
        return
    versions = [
        await read_version(action.record.before, record=action.record, callbacks=action.callbacks)
        for action in actions
    ]
    absent = [action.record.before is None for action in actions]
    if any(absent):
        if declared.if_absent is None:
            raise ConfigurationError(
                f"nothing is there that {declared.tool} could be bound to, and it declares no "
                "if_absent=… by which it must stay so"
            )
        call.add_argument(declared.if_absent, absent if _is_bulk(actions) else absent[0])
    for action, version in zip(actions, versions, strict=True):
        action.if_version = version
    call.add_argument(name, versions if _is_bulk(actions) else versions[0])


def build_action(
    call: ActiveCall,
    turn: OpenTurn,
    *,
    arguments: Mapping[str, object],
    id: str,  # noqa: A002
    effect: Effect = Effect.REVERSIBLE,
    parent: str | None = None,
) -> LiveAction:
    """One action of a call, with copies of all that it was given."""
    declaration, root = call.tool.declaration, turn.root
    opening = Opening(
        tool=declaration.tool,
        server=declaration.server,
        effect=effect,
        repeat=declaration.repeat,
        agent=call.labels.agent,
        tenant=call.labels.tenant,
        turn=turn.id,
        attempt=turn.attempt.number,
        outer=f"{root.id}/{root.attempt.number}" if turn.is_inner else None,
        call=call.id,
        parent=parent,
        key=call.key,
        binding=call.tool.mark,
        session=turn.home.redact_label(root.turn.session) if root.turn.session else "",
        durable=root.durable,
    )
    return LiveAction(
        id=id,
        opening=opening,
        declaration=declaration,
        record=Record(arguments=copy_value(dict(arguments)), key=opening.key or id),
        opened_at=call.tool.runtime.book.clock(),
        call_arguments=call.copy_asked(),
        on_settled=partial(log_settled, call.tool),
        belongs=call.belongs,
    )


def split_result(result: object, actions: Sequence[LiveAction]) -> list[object]:
    """What a call returned, as our own; of a bulk, by element where it has as many parts."""
    own = copy_value(result)
    if _is_bulk(actions) and isinstance(own, (list, tuple)) and len(own) == len(actions):
        return list(own)
    return [own] * len(actions)


def _is_bulk(actions: Sequence[LiveAction]) -> bool:
    return any(action.opening.parent for action in actions)


class JournaledCall(Struct, frozen=True, kw_only=True):
    """One call of an attempt that is running."""

    call: ActiveCall
    turn: OpenTurn
    attempt: LiveAttempt

    @property
    def declaration(self) -> Declaration:
        """What its tool's author says of it."""
        return self.call.tool.declaration

    @property
    def book(self) -> JournalWriter:
        """The journal, as this call waits for it."""
        return self.call.tool.runtime.book.with_waiter(self.call.waiter)

    async def run(self) -> Any:
        """Make the call: journaled before and after if it can be undone, held if it cannot."""
        try:
            refuse_repeats(self.call, self.turn)
        except AlreadyDoneError as again:
            raise await self._explain_decided(again) from None
        self.attempt.asks = self.attempt.asks or bool(self.declaration.review.judged)
        effect = self.declaration.classify_effect(self.call.arguments)
        match effect:
            case Effect.READ:
                return await self._make_unjournaled()
            case Effect.REVERSIBLE:
                return await self._make_journaled()
            case Effect.IRREVERSIBLE | Effect.UNDECLARED:
                return await self._hold(effect, reason=_WAITS[effect])

    async def _explain_decided(self, again: AlreadyDoneError) -> AlreadyDoneError:
        """With what a person has decided of the hold since the turn last heard of it."""
        waiting = {a.id: a for a in self.turn.root.list_unsure() if a.state is State.HELD}
        action, book = waiting.get(again.action), self.book
        if action is None:
            return again

        def look() -> str:
            current = book.journal.find_action(action.id)
            return "" if current is None else _tell_decided(current, action, vault=book.vault)

        now = await book.waiter.aside(look)
        if not now:
            return again
        return AlreadyDoneError(what=action.what, action=action.id, state="", now=now)

    async def hold_ahead(self) -> Held | None:
        """Hold the call if it is one to be held, for a caller that asks before making it; `None`:
        make it."""
        effect = self.declaration.classify_effect(self.call.arguments)
        reason = _WAITS.get(effect)
        if reason is None or await self._is_cleared():
            return None
        refuse_repeats(self.call, self.turn)
        held: Held = await self._hold(effect, reason=reason)
        return held

    async def _make_unjournaled(self) -> Any:
        tried = await call_with_retries(self.call)
        self.attempt.notes.append(lambda: tried.last)
        return await return_or_raise(self.call, tried.last)

    async def _hold(self, effect: Effect, *, reason: str) -> Any:
        said = self.declaration
        approved = self._take_resumed()
        if approved is not None:
            return await self._go_on(approved)
        action = build_action(
            self.call, self.turn, arguments=self.call.arguments, id=self.call.id, effect=effect
        )
        if await self._is_cleared():
            made = self._record_call([action], why="The checks accept it.")
            return await self._work_on([action], made)
        bound = describe_binding(self.declaration)
        only_here = bound or self.call.tool.mistakable or not is_exact(action)
        # Before it is on disk: a caller stopped while waiting has still made a hold, and a
        # rejection of the attempt takes it along.
        self.attempt.actions.append(action)
        held = await hold_call(
            action,
            reason=reason,
            book=self.book,
            evidence=gather_evidence(self.turn, self.attempt),
            only_here=bool(only_here),
        )
        if bound:
            self.call.tool.runtime.keep_held(action.id, self._as_approved(action))
        self._keep_tools([action])
        answers = read_context().held
        if answers is not None:
            answers[said.tool] = held
        return answer_held(held, returns=said.hints.whole)

    def _take_resumed(self) -> LiveAction | None:
        """The approved action that the call is, once; `None` where it is another call."""
        context, said = read_context(), self.declaration
        action, called = context.resumed, (said.tool, said.server)
        if action is None or (action.opening.tool, action.opening.server) != called:
            return None
        if dict(action.record.arguments) != dict(self.call.arguments):
            return None
        carry_on(context._replace(resumed=None))
        return action

    async def _go_on(self, action: LiveAction) -> Any:
        """Make a call that was held before, and that a person has approved meanwhile."""
        for attempt in self.turn.root.attempts:
            # As it was held, where that was in this very turn.
            attempt.forget(action.id)
        # Before it is claimed: a caller stopped while waiting has still claimed it.
        self.attempt.actions.append(action)
        self.attempt.approved |= {action.id, self.call.id}
        # A pass of recovery that comes by leaves it alone.
        self.book.live.add(action.id)
        return await self._work_on([action], self._make_approved(action))

    async def _make_approved(self, action: LiveAction) -> Any:
        book, key = self.book, self.declaration.key
        await claim(action, book=book)
        if key is not None:
            # The remote may have heard of it under the key that it was held with.
            self.call.add_argument(key, action.opening.key)
        given = copy_value(dict(self.call.arguments))
        tried = await run_claimed(action, call=self.call, book=book)
        self.attempt.done.append(_copy_execution(tried.last, given))
        return await return_or_raise(self.call, tried.last)

    def _keep_tools(self, actions: Sequence[LiveAction]) -> None:
        """Remember whose these are, where another process or another tool could not tell."""
        tool = self.call.tool
        for action in actions:
            if tool.binding.mark or tool.binding.objects or action.originals:
                tool.runtime.action_tools.keep(action.id, tool=tool, originals=action.originals)
            for name in action.originals:
                tool.warn_once(
                    f"{action.opening.tool}: its {name} hold objects whose class no annotation "
                    "names, so after a restart an undo gets plain data in their place, or nothing. "
                    "Annotate what the tool takes and returns, and what its `before` returns."
                )

    def _as_approved(self, action: LiveAction) -> Make:
        """The call with what a person will be shown, or not at all."""
        given = self.call.arguments

        async def make_unchanged() -> Any:
            if dict(given) != dict(action.record.arguments):
                raise ConfigurationError(
                    f"What {action.opening.tool} was given has changed since it was held, so it is "
                    "not run. Have it asked for again."
                )
            return await self.call.make()

        return make_unchanged

    async def _is_cleared(self) -> bool:
        reviewing = self.turn.reviewing
        if self.declaration.review.release is not Release.CHECKS or reviewing is None:
            return False
        if not self.turn.turn.vouched:
            # What it would be held against is not known to be the person's.
            return False
        if not DATES.loaded:
            await self.call.waiter.aside(DATES.load)
        return reviewing.clears(build_proposal(self.call))

    async def _make_journaled(self) -> Any:
        try:
            actions = await take_snapshots(self.call, self.turn)
            await require_version(self.call, actions)
        except Exception as error:  # noqa: BLE001 - a user's function; the call must not go on
            if is_own_refusal(self.call, error):
                # Approved, it would be refused again: there is nothing for a person to say.
                return await self._refuse(error)
            what = hide_secrets(describe_error(error), self.call.arguments)[:200]
            reason = f"what is there now could not be read ({what}), so it could not be undone."
            return await self._hold(Effect.IRREVERSIBLE, reason=reason)
        return await self._work_on(actions, self._record_call(actions, why=""))

    async def _refuse(self, error: Exception) -> Any:
        """The result of a call that its own tool refuses before it is made."""
        failed = await note_failure(self.call, error)
        self.attempt.notes.append(lambda: failed)
        return await return_or_raise(self.call, failed)

    async def _work_on(self, actions: Sequence[LiveAction], call: Awaitable[Any]) -> Any:
        """Make a call that may outlive its turn: until it answers, no other process takes it up."""
        for action in actions:
            action.under_way = True
        try:
            return await call
        finally:
            for action in actions:
                action.under_way = False
            if self.turn.root.over:
                await self._leave_to_others(actions)

    async def _record_call(self, actions: Sequence[LiveAction], *, why: str) -> Any:
        """Put a call on record, make it, and record the result."""
        book = self.book
        # Where others took over and undid what this attempt had done, what was read is not there.
        book.refuse_if_taken_over(self.attempt.actions[-1:])
        keep = bring_evidence(self.turn, self.attempt, actions=actions, book=book)
        self.attempt.actions.extend(actions)
        # What one of the calls that make this one returns may be what this one has left.
        if makers := " ".join(self.call.list_makers()).encode():
            keep += [Kept(owner=action.id, name=WITHIN, value=makers) for action in actions]
        if self.call.id in self.attempt.approved:
            keep += [Kept(owner=action.id, name=LET_RUN, value=b"") for action in actions]
        await book.intend(actions, keep=keep, why=why)
        self._keep_tools(actions)
        await checkpoint(Point.INTENDED)
        self.call.require_lease = partial(book.require_lease, actions, to=Request.CALL)
        self.call.require_lease()
        given = copy_value(dict(self.call.arguments))
        self.call.records = tuple(action.record for action in actions)
        # From here on it is the tool's own time.
        self.call.start = time.perf_counter_ns()
        try:
            tried = await call_with_retries(self.call)
            await checkpoint(Point.CALLED)
        except BaseException as error:
            await write_stopped(actions, error, book=book)
            raise
        self.attempt.done.append(_copy_execution(tried.last, given))
        ended = self._write_outcome(actions, tried)
        outcome = await book.record_ending(actions, ended) or tried.last
        await checkpoint(Point.EXECUTED)
        return await return_or_raise(self.call, outcome)

    async def _leave_to_others(self, actions: Sequence[LiveAction]) -> None:
        """The turn did not wait for this call, so that its answer was given without it."""
        book = self.book
        done = [action for action in actions if action.state is State.EXECUTED]
        why = "Its answer came after its turn ended."
        facts: dict[str, object] = {"delivered": True}
        with suppress(JournalError):  # the end of the turn came between, and has written it down
            await book.move(done, State.PENDING_REVIEW, why=why, facts=facts)
        book.let_go(actions)

    async def _write_outcome(self, actions: Sequence[LiveAction], tried: Tried) -> Execution:
        """Record the result: it happened, it did not, or that is unknown.

        Returns what the caller is told. A call without an answer that a look has found is a success
        after all; what its tool said itself stands.
        """
        book, failure = self.book, tried.last.failure
        if failure is None:
            # Its result is in what is kept from here on, also where the process dies before it says
            # so.
            facts: dict[str, object] = {"delivered": True} if self.turn.root.kept else {}
            results = split_result(tried.last.result, actions)
            if tried.unheard and self.declaration.if_version is None:
                for action in actions:
                    action.unheard_since = book.steady()
            again = tried.last.try_number > 1
            await record_result(actions, results, book=book, facts=facts, again=again)
            self._keep_tools(actions)
            await self._settle_outdated(actions)
            return tried.last
        why = failure.error_class.value
        if tried.nothing_happened:
            await book.move(actions, State.NOT_EXECUTED, why=why)
            return tried.last
        for action in actions:
            action.call_failed = True
            action.refused = tried.last.outcome is Outcome.FAILURE
        if failure.landed and read_effect_note(failure.error) is EffectNote.DONE:
            for action in actions:
                await write_down(action, Seen(found=ProbeResult.LANDED), final=True, book=book)
            return tried.last
        await book.move(actions, State.UNKNOWN, why=why)
        await settle(actions, book=book)
        if not any(action.looked_up for action in actions):
            return tried.last
        if len(actions) == 1 and tried.lost:
            return as_execution(actions[0], self.turn.turn)
        return replace(tried.last, failure=replace(failure, landed=True))

    async def _settle_outdated(self, done: Sequence[LiveAction]) -> None:
        """Calls that failed under the very version that a later one was accepted under.

        It had not been changed until then, and is at another version since: they did nothing, and
        the remote refuses them from now on.
        """
        for action in list(self.turn.root.list_unsure()) if self.declaration.if_version else ():
            if action.refused and action.state is State.UNKNOWN and _is_outdated(action, by=done):
                why = "A later call was accepted under the version that this one was bound to."
                await self.book.move([action], State.NOT_EXECUTED, why=why)
                action.on_settled(action)


_WAITS = {
    Effect.IRREVERSIBLE: "it cannot be undone.",
    Effect.UNDECLARED: "its effect is not declared.",
}
"""Why a call is held, by its effect."""


def refuse_repeats(call: ActiveCall, turn: OpenTurn) -> None:
    """Made once more while the first may stand, the same call could do a thing twice."""
    declared, resumed = call.tool.declaration, read_context().resumed
    # A person has let these run in an attempt that was rejected: they still stand.
    rejected = [part for each in turn.root.attempts[:-1] for part in each.list_whole()]
    approved = {each for part in rejected for each in part.approved}
    for action in turn.root.list_unsure():
        opening, stands = action.opening, action.id in approved and action.state in _LET_RUN
        if not (stands or _may_stand(action)):
            continue
        if resumed is not None and action.id == resumed.id:
            # It was held in this very turn, and a person has let it run meanwhile.
            continue
        if (opening.server, opening.tool) != (declared.server, declared.tool):
            continue
        if not _is_alike(action, call) or _is_at_the_same_time(action, turn):
            continue
        if _asks_for(action, call.arguments):
            state = _LET_RUN.get(action.state, "") if stands else _name_state(action)
            raise AlreadyDoneError(what=action.what, action=action.id, state=state)


def _tell_decided(current: Action, held: LiveAction, *, vault: Vault) -> str:
    """What has become of a call that was held, for its agent; empty while it is awaiting approval
    or nothing more is known of it."""
    edited = load_edited(vault, current.id)
    with_what = ""
    if edited is not None and edited[0]:
        given = ", ".join(f"{name}={format_value(value)}" for name, value in edited[0].items())
        with_what = f" with other arguments ({given})"
    match current.state:
        case State.APPROVED | State.INTENT:
            return f"A person has approved it{with_what}, and it is about to be made."
        case State.EXECUTED | State.UNCHECKED | State.VERIFIED:
            record = load_record(current, held.declaration, vault=vault, originals=held.originals)
            return (
                f"A person has approved it{with_what}, and it was made. Its result: "
                f"{format_value(record.result)}."
            )
        case State.DENIED:
            note = f" They said: {said}" if (said := current.detail.get("note")) else ""
            return f"A person has denied it.{note}"
        case State.EXPIRED:
            return "It was not approved in time, and has expired."
    return ""


def _is_alike(action: LiveAction, call: ActiveCall) -> bool:
    """Whether both are of the same object: the lamp that one shop sold is not the other's.

    The account of one that was made elsewhere is unknown: it may be the same.
    """
    theirs, ours = action.belongs, call.belongs
    same = len(theirs) == len(ours) and all(a is b for a, b in zip(theirs, ours, strict=True))
    return (same or not theirs) and action.opening.binding.rstrip("~") == call.tool.bound


def _is_at_the_same_time(action: LiveAction, turn: OpenTurn) -> bool:
    """Whether its agent waits for both at once, and so means both: two coffees."""
    here = (action.opening.turn, action.opening.attempt) == (turn.id, turn.attempt.number)
    return here and action.under_way and action.state in (None, State.INTENT)


def _name_state(action: LiveAction) -> str:
    if action.opening.effect is not Effect.UNDECLARED:
        return str(action.state)
    return f"{action.state}, as its effect is not declared; if it only reads, declare it READ"


def _copy_execution(execution: Execution, given: Mapping[str, object]) -> Execution:
    """What a review will see: the call as it was made, whatever its agent changes afterwards."""
    call = replace(execution.call, arguments=given)
    return replace(execution, call=call, result=copy_value(execution.result))


def _is_outdated(action: LiveAction, *, by: Sequence[LiveAction]) -> bool:
    """Whether one of these was made on the same version of the same object."""
    return action.if_version is not None and any(
        each.if_version == action.if_version and each.objects & action.objects for each in by
    )


_STANDS = frozenset(
    {
        State.INTENT,
        State.UNKNOWN,
        State.NEEDS_HUMAN,
        State.CONFLICT,
        State.UNDO_FAILED,
        State.HELD,
        State.DISPUTED,
    }
)
"""States in which a repeat could do a thing twice, or do it where it already waits to be done."""


_DONE = "done, as a person approved it"
_LET_RUN: Mapping[State | None, str] = {
    State.APPROVED: "about to be done, as a person approved it",
    State.EXECUTED: _DONE,
    State.UNCHECKED: _DONE,
    State.VERIFIED: _DONE,
}
"""How a call stands that a person has let run, whatever becomes of the attempt around it."""


def _may_stand(action: LiveAction) -> bool:
    """Whether its agent may ask for it again, not knowing that it took effect."""
    found = action.state is State.EXECUTED and action.call_failed
    return action.state in _STANDS or found


def _asks_for(action: LiveAction, arguments: Mapping[str, object]) -> bool:
    """Whether a call is the one that an action came from; of a bulk, also in one element."""
    each, given, own = action.declaration.each, dict(arguments), dict(action.record.arguments)
    if given == dict(action.call_arguments):
        return True
    elements = arguments.get(each) if each is not None else None
    if each is None or not isinstance(elements, (list, tuple)):
        return given == own
    return any({**given, each: element} == own for element in elements)
