"""A call inside an attempt: on record before it changes anything, and accounted for afterwards."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mulligan.core.action import Opening, State
from mulligan.core.effect import Effect, Release
from mulligan.core.errors import AlreadyDoneError, ConfigurationError, JournalError
from mulligan.core.points import Point, reach
from mulligan.core.record import Record
from mulligan.turns.calls.advice import conclude
from mulligan.turns.calls.live import LiveCall
from mulligan.turns.calls.outcome import build_proposal
from mulligan.turns.calls.retry import Tried, try_call
from mulligan.turns.calls.rows import log_settled
from mulligan.turns.calls.runtime import Make
from mulligan.turns.journal.book import Book, LiveAction
from mulligan.turns.journal.evidence import pack_evidence
from mulligan.turns.journal.hold import hold_call
from mulligan.turns.journal.landing import adopt, settle
from mulligan.turns.tools.declaration import Declaration
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.context import OpenTurn
from mulligan.undo.taking_back import call_ability, read_version


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledCall:
    """One call of an attempt that is on its way."""

    call: LiveCall
    turn: OpenTurn
    attempt: LiveAttempt

    @property
    def declaration(self) -> Declaration:
        """What its tool's author says of it."""
        return self.call.tool.declaration

    @property
    def book(self) -> Book:
        """The journal, as this call waits for it."""
        return self.call.tool.runtime.book.with_waiter(self.call.waiter)

    async def run(self) -> Any:
        """Make the call: journaled before and after if it can be undone, held if it cannot."""
        self._refuse_repeats()
        self.attempt.asks = self.attempt.asks or self.declaration.review
        effect = self.declaration.classify_effect(self.call.arguments)
        match effect:
            case Effect.READ:
                return await self._make_unjournaled()
            case Effect.REVERSIBLE:
                return await self._make_journaled()
            case Effect.IRREVERSIBLE:
                return await self._hold(effect, reason="it cannot be undone.")
            case Effect.UNDECLARED:
                return await self._hold(effect, reason="nobody declared what it does.")

    async def _make_unjournaled(self) -> Any:
        tried = await try_call(self.call)
        self.attempt.notes.append(lambda: tried.last)
        return await conclude(self.call, tried.last)

    async def _hold(self, effect: Effect, *, reason: str) -> Any:
        action = self._build_action(dict(self.call.arguments), effect=effect, id=self.call.id)
        if self._is_cleared():
            return await self._let_through(action)
        held = await hold_call(
            action,
            reason=reason,
            book=self.book,
            evidence=self._collect_evidence(),
        )
        if self.call.tool.signature.method:
            self.call.tool.runtime.held[action.id] = self._as_approved(action)
        self.attempt.actions.append(action)
        return held

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

    def _is_cleared(self) -> bool:
        reviewing = self.turn.reviewing
        if self.declaration.release is not Release.CHECKS or reviewing is None:
            return False
        return reviewing.clears(build_proposal(self.call))

    async def _let_through(self, action: LiveAction) -> Any:
        """Make a call that cannot be undone, because the checks are content with it."""
        book, evidence = self.book, self._collect_evidence()
        await hold_call(action, reason="it cannot be undone.", book=book, evidence=evidence)
        by: dict[str, object] = {"by": "checks"}
        await book.move([action], State.APPROVED, facts=by)
        return await self._finish_call([action])

    async def _make_journaled(self) -> Any:
        try:
            actions = await self._read_images()
            await self._bind_version(actions)
        except Exception as error:  # noqa: BLE001 - a user's function; the call must not go on
            what = f"{type(error).__name__}: {str(error)[:200]}".rstrip(": .")
            reason = f"what is there now could not be read ({what}), so it could not be undone."
            return await self._hold(Effect.IRREVERSIBLE, reason=reason)
        return await self._finish_call(actions)

    async def _finish_call(self, actions: Sequence[LiveAction]) -> Any:
        """Make a call that may outlive its turn: until it is back, nobody else takes it up."""
        for action in actions:
            action.under_way = True
        try:
            return await self._record_call(actions)
        finally:
            for action in actions:
                action.under_way = False
            if self.turn.over:
                await self._leave_to_others(actions)

    async def _record_call(self, actions: Sequence[LiveAction]) -> Any:
        """Put a call on record, make it, and write down what came of it."""
        book = self.book
        evidence = self._collect_evidence()
        self.attempt.actions.extend(actions)
        await book.intend(actions, evidence=evidence)
        self.attempt.told = len(self.attempt.notes)
        await reach(Point.INTENDED)
        self.call.start_clock()
        try:
            tried = await try_call(self.call)
            await reach(Point.CALLED)
        except BaseException as error:
            # Stopped in the middle: it may have landed, and only a look can tell.
            why = f"It was stopped on its way ({type(error).__name__})."
            await book.move(actions, State.UNKNOWN, why=why)
            raise
        self.attempt.done.append(tried.last)
        await self._account(actions, tried)
        await reach(Point.EXECUTED)
        return await conclude(self.call, tried.last)

    async def _leave_to_others(self, actions: Sequence[LiveAction]) -> None:
        """The turn did not wait for this call, so that its answer was given without it."""
        book = self.book
        done = [action for action in actions if action.state is State.EXECUTED]
        why = "It came back after its turn had ended."
        facts: dict[str, object] = {"delivered": True}
        with suppress(JournalError):  # the end of the turn came between, and has written it down
            await book.move(done, State.PENDING_REVIEW, why=why, facts=facts)
        book.release(actions)

    async def _read_images(self) -> list[LiveAction]:
        """The actions the call consists of, each with its pre-image."""
        each = self.declaration.each
        given = dict(self.call.arguments)
        elements = given.get(each) if each is not None else None
        if each is None or not isinstance(elements, (list, tuple)) or not elements:
            parts, ids, parent = [given], [self.call.id], None
        else:
            parts = [given | {each: element} for element in elements]
            ids = [self._make_id() for _ in parts]
            parent = self.call.id
        actions = [
            self._build_action(part, effect=Effect.REVERSIBLE, id=name, parent=parent)
            for part, name in zip(parts, ids, strict=True)
        ]
        before = self.declaration.abilities.before
        if before is not None:
            for action in actions:
                # A copy: the tool may change the very object that it was read from.
                seen = _copy(await call_ability(before, action.record))
                action.record = replace(action.record, before=seen)
        await reach(Point.IMAGED)
        return actions

    async def _bind_version(self, actions: Sequence[LiveAction]) -> None:
        """Bind the call to what its pre-images were read at, where its tool can say so."""
        name = self.declaration.if_version
        if name is None or self.call.arguments.get(name) is not None:
            return
        versions = [
            await read_version(
                action.record.before, record=action.record, abilities=action.abilities
            )
            for action in actions
        ]
        bulk = any(action.opening.parent for action in actions)
        self.call.add_argument(name, versions if bulk else versions[0])

    async def _account(self, actions: Sequence[LiveAction], tried: Tried) -> None:
        """Write down what came of it: it happened, it did not, or nobody knows."""
        book, failure = self.book, tried.last.failure
        if failure is None:
            bulk = any(action.opening.parent for action in actions)
            results = _split_result(tried.last.result, len(actions), bulk=bulk)
            await adopt(actions, results, book=book)
        elif tried.nothing_happened and len(actions) == 1:
            why = failure.error_class.value
            await book.move(actions, State.NOT_EXECUTED, why=why)
        else:
            why = failure.error_class.value
            await book.move(actions, State.UNKNOWN, why=why)
            # Refused, a call that makes its requests one after the other has none on its way.
            under_way = not (tried.nothing_happened and self.declaration.sequential)
            await settle(actions, book=book, under_way=under_way)

    def _build_action(
        self,
        arguments: Mapping[str, object],
        *,
        effect: Effect,
        id: str,  # noqa: A002
        parent: str | None = None,
    ) -> LiveAction:
        declaration, call = self.declaration, self.call
        key = arguments.get(declaration.key) if declaration.key else None
        opening = Opening(
            tool=declaration.tool,
            server=declaration.server,
            effect=effect,
            repeat=declaration.repeat,
            agent=call.labels.agent,
            tenant=call.labels.tenant,
            turn=self.turn.id,
            attempt=self.attempt.number,
            call=call.id,
            parent=parent,
            key=None if key is None else str(key),
        )
        return LiveAction(
            id=id,
            opening=opening,
            declaration=declaration,
            record=Record(arguments=_copy(dict(arguments)), key=opening.key or id),
            opened_at=self.book.clock(),
            on_settled=partial(log_settled, self.call.tool),
        )

    def _make_id(self) -> str:
        return self.call.tool.runtime.make_id(self.call.tool.runtime.wall_us())

    def _collect_evidence(self) -> bytes:
        seen = [note() for note in list(self.attempt.notes)[self.attempt.told :]]
        before = self.turn.attempts[: self.attempt.number - 1]
        earlier = [execution for each in before for execution in each.list_executions()]
        return pack_evidence(self.turn.turn, seen, earlier=() if self.attempt.told else earlier)

    def _refuse_repeats(self) -> None:
        """Made once more while the first may stand, the same call could do a thing twice."""
        for action in self.turn.list_actions():
            if action.state not in _STANDS or action.opening.tool != self.declaration.tool:
                continue
            if _is_same_call(action, self.call.arguments):
                raise AlreadyDoneError(what=action.what, action=action.id, state=str(action.state))


_STANDS = frozenset(
    {State.INTENT, State.UNKNOWN, State.NEEDS_HUMAN, State.CONFLICT, State.UNDO_FAILED, State.HELD}
)
"""States in which a repeat could do a thing twice, or do it where it already waits to be done."""


def _copy(value: Any) -> Any:
    """A value that nobody else can change; what cannot be copied comes back as it is."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - locks, sockets and cursors refuse in ways of their own
        return value


def _is_same_call(action: LiveAction, arguments: Mapping[str, object]) -> bool:
    key = action.declaration.key
    given = {name: value for name, value in arguments.items() if name != key}
    return given == {name: v for name, v in action.record.arguments.items() if name != key}


def _split_result(result: object, count: int, *, bulk: bool) -> list[object]:
    """What a bulk returned, element by element where it has as many parts."""
    if bulk and isinstance(result, (list, tuple)) and len(result) == count:
        return list(result)
    return [result] * count
