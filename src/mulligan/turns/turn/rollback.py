"""How all that an attempt did is taken back: in reverse, by object, each with its proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mulligan.codec.values import encode_value
from mulligan.core.action import SETTLED, Kept, State, UndoResult
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError
from mulligan.core.points import Point, reach
from mulligan.core.record import Record
from mulligan.loops.actions import TakenBack
from mulligan.turns.journal.book import SHARED_LIFE, Book, LiveAction
from mulligan.turns.journal.own_versions import OwnVersions
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.context import leave_turns
from mulligan.turns.turn.rejection import reject
from mulligan.undo.taking_back import (
    Sight,
    Terms,
    Undone,
    judge_sight,
    look,
    prove,
    read_version_before,
    send,
    wait_to_settle,
    with_version,
)

WAVE = 100
"""Undos of different objects that are sent before they are read back together."""

STATE_AFTER = {
    UndoResult.RESTORED: State.UNDONE,
    UndoResult.CONFLICT: State.CONFLICT,
    UndoResult.PARTIAL: State.UNDO_FAILED,
    UndoResult.FAILED: State.UNDO_FAILED,
    UndoResult.UNKNOWN: State.UNDO_FAILED,
}


async def take_back_all(attempt: LiveAttempt, *, book: Book, why: str) -> list[TakenBack]:
    """Undo a whole attempt: in reverse, each action on its own, none stopped by another.

    What turns inside this attempt did belongs to it, also what their reviews accepted.
    """
    executed = attempt.list_whole_in_state(State.EXECUTED)
    # An inner turn's review has accepted some, or left them to a later one.
    standing = [*executed, *attempt.list_whole_in_state(State.PENDING_REVIEW)]
    doomed = [action for action in standing if _can_be_undone(action)]
    doomed.sort(key=_read_id, reverse=True)
    beyond = [action for action in executed if not _can_be_undone(action)]
    held = attempt.list_whole_in_state(State.HELD)
    taken = await reject(doomed, held=held, beyond=beyond, book=book, why=why)
    await undo_actions(taken, book=book)
    return [_build_taken_back(action) for action in doomed] + _list_beyond_undo(attempt)


def _can_be_undone(action: LiveAction) -> bool:
    return action.opening.effect is Effect.REVERSIBLE


def _read_id(action: LiveAction) -> str:
    return action.id


async def undo_actions(actions: Sequence[LiveAction], *, book: Book) -> None:
    """Undo actions that are doomed, in this order; each is read back and written down."""
    rollback = _Rollback(book=book, by_id={action.id: action for action in actions})
    # An undo that calls a declared tool is no part of the turn whose work it takes back.
    with leave_turns():
        for wave in _split_waves(actions):
            await rollback.undo_wave([a for a in wave if not await rollback.is_stuck(a)])
        for action in rollback.postponed:
            await rollback.undo_wave([action], last=True)


def _split_waves(actions: Sequence[LiveAction]) -> Iterator[list[LiveAction]]:
    """Actions that do not touch each other's objects, a wave each; what has no version, alone."""
    wave: list[LiveAction] = []
    touched: set[tuple[str, str]] = set()
    ids: set[str] = set()
    for action in actions:
        alone = action.abilities.version is None or action.declaration.deletes
        waits = not (touched.isdisjoint(action.objects) and ids.isdisjoint(action.after))
        if wave and (alone or waits or len(wave) >= WAVE):
            yield wave
            wave, touched, ids = [], set(), set()
        wave.append(action)
        touched |= action.objects
        ids.add(action.id)
        if alone:
            yield wave
            wave, touched, ids = [], set(), set()
    if wave:
        yield wave


@dataclass(slots=True, kw_only=True)
class _Sent:
    """One undo on its way."""

    action: LiveAction
    record: Record
    terms: Terms
    first: Sight
    undone: Undone | None = None
    failure: BaseException | None = None


@dataclass(slots=True, kw_only=True)
class _Rollback:
    """Undoes some actions, and knows what its own undos have written."""

    book: Book
    by_id: dict[str, LiveAction]
    behind: set[str] = field(default_factory=set)
    """Ids of those that were postponed."""
    postponed: list[LiveAction] = field(default_factory=list)
    """A later call of ours has written over them, which is undone first."""
    _by_object: dict[tuple[str, str], list[LiveAction]] | None = None

    async def is_stuck(self, action: LiveAction) -> bool:
        """Whether a later action about the same object could not be undone, so that this waits."""
        for later in (self.by_id[name] for name in action.after if name in self.by_id):
            if later.state is not State.UNDONE and later.id not in self.behind:
                action.undone, action.covered = UndoResult.FAILED, True
                why = f"{later.what} came after it and could not be undone."
                await self.book.move([action], State.UNDO_FAILED, why=why)
                return True
        return False

    async def undo_wave(self, actions: Sequence[LiveAction], *, last: bool = False) -> None:
        """Look at all, put on record what is sent, send all, let it settle, read all back."""
        sending, done = [], []
        for action in actions:
            begun = await self._look(action)
            if begun.undone is None:
                sending.append(begun)
            elif begun.undone.behind_ours and not last:
                self.postponed.append(action)
                self.behind.add(action.id)
            else:
                done.append(begun)
        await self._send(sending)
        for each in sending:
            each.undone = await self._prove(each)
        await self._write([*done, *sending])

    async def _look(self, action: LiveAction) -> _Sent:
        versions = OwnVersions(self.book.vault, action)
        own = await versions.load(self._list_siblings(action))
        record = with_version(action.record, own.current)
        terms = Terms(
            abilities=action.abilities,
            deletes=action.declaration.deletes,
            settles_within=action.declaration.settles_within,
            answers_within=action.declaration.answers_within,
            begun=action.undo_begun,
            seen=action.seen,
            own_versions=own.others,
        )
        action.undone = UndoResult.FAILED
        first = await look(record, terms)
        if first.restored and not first.ours and await versions.has_written(first.version):
            terms = replace(terms, undo_wrote=True)
        undone = judge_sight(record, first, terms=terms)
        return _Sent(action=action, record=record, terms=terms, first=first, undone=undone)

    def _list_siblings(self, action: LiveAction) -> list[LiveAction]:
        """The others that are undone with it and are about the same object."""
        if self._by_object is None:
            self._by_object = {}
            for each in self.by_id.values():
                for found in each.objects:
                    self._by_object.setdefault(found, []).append(each)
        return [each for found in action.objects for each in self._by_object.get(found, ())]

    async def _send(self, sending: Sequence[_Sent]) -> None:
        if not sending:
            return
        for each in sending:
            each.action.undo_begun = True
            each.action.seen = each.action.seen or each.first.ours
        await self.book.move([each.action for each in sending], State.UNDOING, why="It is sent.")
        self.book.require_lease([each.action for each in sending])
        for each in sending:
            each.failure = await send(each.record, each.terms)
        await wait_to_settle(max((e.terms for e in sending), key=lambda t: t.settles_within))

    async def _prove(self, sent: _Sent) -> Undone:
        undone = await prove(sent.record, sent.terms, first=sent.first, failure=sent.failure)
        if undone.result is UndoResult.FAILED and sent.terms.versioned:
            # Once more at once: under its version, it is done once at the most.
            failure = await send(sent.record, sent.terms)
            await wait_to_settle(sent.terms)
            undone = await prove(sent.record, sent.terms, first=sent.first, failure=failure)
        await reach(Point.PROVEN)
        return undone

    async def _write(self, done: Sequence[_Sent]) -> None:
        restored = [e for e in done if e.undone and e.undone.result is UndoResult.RESTORED]
        keep: list[Kept] = []
        for each in restored:
            each.action.undone = UndoResult.RESTORED
            keep += await self._keep_versions(each)
        facts: dict[str, object] = {"result": UndoResult.RESTORED.value}
        await self.book.move([e.action for e in restored], State.UNDONE, keep=keep, facts=facts)
        for each in done:
            if each not in restored and each.undone is not None:
                await self._write_trouble(each, each.undone)
            await reach(Point.UNDONE)

    async def _keep_versions(self, sent: _Sent) -> list[Kept]:
        """What was at one version stands at another now, by our own undo."""
        was = await read_version_before(sent.record, sent.terms)
        until = self.book.clock() + SHARED_LIFE
        new = sent.undone.version if sent.undone else None
        return OwnVersions(self.book.vault, sent.action).keep(old=was, new=new, until=until)

    async def _write_trouble(self, sent: _Sent, undone: Undone) -> None:
        action = sent.action
        action.undone = undone.result
        facts: dict[str, object] = {"result": undone.result.value}
        keep: list[Kept] = []
        if undone.result in (UndoResult.CONFLICT, UndoResult.PARTIAL):
            keep = _keep_theirs(action, undone)
        if undone.result is UndoResult.CONFLICT:
            # Both versions as they are: in `why` a long one would be taken for a secret.
            facts |= {"left_at": sent.record.version, "now_at": undone.version}
        if undone.for_a_person or not sent.terms.versioned:
            # Without a version a second undo cannot be told from the first, and what was undone
            # since would come back with it.
            alone = len(self.by_id) == 1 and not action.undo_begun
            facts["for_a_person"] = undone.for_a_person or not alone
        state = STATE_AFTER[undone.result]
        await self.book.move([action], state, keep=keep, why=undone.why, facts=facts)


def _keep_theirs(action: LiveAction, undone: Undone) -> list[Kept]:
    """What stands there in place of ours, if only nothing, for the person who has to choose."""
    try:
        return [Kept(owner=action.id, name="theirs", value=encode_value(undone.theirs))]
    except ConfigurationError:
        # It cannot be written down; that there is a conflict still must be.
        return []


def _build_taken_back(action: LiveAction) -> TakenBack:
    return TakenBack(
        action=action.id,
        tool=action.opening.tool,
        what=action.what,
        said=action.said,
        result=action.undone,
        why="a later call on the same object could not be undone" if action.covered else "",
    )


def _list_beyond_undo(attempt: LiveAttempt) -> list[TakenBack]:
    """Calls that may have changed something and that nobody can take back."""
    states = (State.UNKNOWN, State.INTENT, State.NEEDS_HUMAN, State.DISPUTED)
    inner = [a for a in attempt.list_inner() if a.state in states]
    return [
        replace(
            _build_taken_back(action),
            result=None,
            certain=action.state is State.DISPUTED,
            why="" if action.state is State.DISPUTED else "it may or may not have taken effect",
        )
        for action in [*attempt.list_in_state(*states), *inner]
        if action.state not in SETTLED
    ]
