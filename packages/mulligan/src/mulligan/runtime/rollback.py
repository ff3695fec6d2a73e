"""A rejection on disk before anything is undone, and how all that an attempt did is undone: in
reverse, by object, each with its proof.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from msgspec.structs import replace

from mulligan.codec import encode_value, to_plain
from mulligan.loops.actions import RejectedAction
from mulligan.process.fault_points import Point, checkpoint
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.assessment import (
    LaterCalls,
    Observation,
    Undone,
    UndoPolicy,
    assess_current,
    claim_by_content,
    doubt_restored,
    is_made_by,
    is_silence,
    lacks_room,
    name_state,
    with_version,
)
from mulligan.runtime.context import LiveAttempt, UntrackedCall, leave_turns
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.journal import SHARED_LIFE, JournalWriter, StateChange, summarize
from mulligan.runtime.live_action import LiveAction, keep_said, read_order
from mulligan.runtime.payloads import Rejection, UndeclaredCall
from mulligan.runtime.probe import OtherCall, load_call, may_still_land
from mulligan.runtime.undo import (
    find_made_ids,
    find_named_ids,
    read_current,
    read_version_before,
    run_undo,
    verify,
    wait_to_settle,
)
from mulligan.types.action import (
    AWAITING_REVIEW,
    MOST_TRIES,
    SETTLED,
    STATE_AFTER,
    UNANSWERED,
    ActionQuery,
    Kept,
    Request,
    State,
    UndoResult,
    read_all,
)
from mulligan.types.call import Record
from mulligan.types.effect import Effect
from mulligan.types.errors import MulliganError, StaleEntryError
from mulligan.types.interfaces import Vault

_report = logging.getLogger("mulligan")

MOST_STALE = 5
"""How often others may move an action between our look at it and our entry."""

_MANY = 100
"""So many that not every element of a bulk names them all: one does, and the others name it."""


def build_rejected_action(
    action: LiveAction,
    *,
    result: UndoResult | None,
    why: str,
    certain: bool = True,
    blocks: bool = True,
) -> RejectedAction:
    """One action as its agent and a person see it."""
    return RejectedAction(
        action=action.id,
        tool=action.opening.tool,
        what=action.what,
        say=lambda: action.said,
        result=result,
        why=why,
        certain=certain,
        blocks=blocks,
        loses=tuple(action.declaration.undoing.loses),
    )


def line_up(actions: Sequence[LiveAction]) -> None:
    """Have each action know those that are undone before it, on what it left behind.

    They are about the same object, as their tools declare it, or about one in it, or name what it
    has made. What does not say what it is about may be about anything: where no version tells
    whether it is, one waits for all later calls, and others wait for it. The actions are in the
    order in which they are to be undone.
    """
    if len(actions) == 1:
        # It waits for no other.
        actions[0].after = ()
        return
    line = _Line()
    for _, call in groupby(actions, key=lambda action: action.opening.parent or action.id):
        line.add_call(list(call))


@dataclass(slots=True)
class _Line:
    """Who waits for whom among actions that come in the order in which they are undone."""

    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    inside: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By what they are in."""
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    since: list[str] = field(default_factory=list)
    """The last call that has waited for all later ones itself, and those that came since."""
    vague: list[str] = field(default_factory=list)
    """Those of them that may be about anything."""

    def add_call(self, elements: Sequence[LiveAction]) -> None:
        """The actions of one call: of a bulk none waits for another that is not on its object."""
        vague = [action.id for action in elements if not action.objects]
        unsure = {action.id for action in elements if not is_told_by_version(action)}
        waiting = [each for each in vague if each in unsure]
        for action in elements:
            waits = self._find_related(action)
            if action.id in unsure and action.objects:
                waits += self.vague
            elif action.id in unsure:
                many = len(self.since) > _MANY and action.id != waiting[0]
                waits += waiting[:1] if many else self.since
            action.after = tuple(dict.fromkeys(waits))
            self._remember(action)
        if waiting:
            self.since.clear()
            self.vague.clear()
        self.since += [action.id for action in elements]
        self.vague += vague

    def _find_related(self, action: LiveAction) -> list[str]:
        made = [(action.opening.server, each) for each in find_made_ids(action.record)]
        found = [self.latest[each] for each in action.objects if each in self.latest]
        found += [inner for each in action.objects for inner in self.inside.get(each, ())]
        return found + [self.named[each] for each in made if each in self.named]

    def _remember(self, action: LiveAction) -> None:
        self.latest |= dict.fromkeys(action.objects, action.id)
        for outer in list_outer(action.objects):
            self.inside.setdefault(outer, []).append(action.id)
        for value in find_named_ids(action.record):
            self.named[action.opening.server, value] = action.id


def is_told_by_version(action: LiveAction) -> bool:
    """Whether its undo is refused where another call has changed the object since."""
    return action.callbacks.version is not None and not action.declaration.deletes


async def reject(
    doomed: Sequence[LiveAction],
    *,
    held: Iterable[LiveAction] = (),
    beyond: Sequence[LiveAction] = (),
    unsettled: Iterable[tuple[LiveAction, Fate]] = (),
    book: JournalWriter,
    why: str,
    keep: Iterable[Kept] = (),
) -> list[LiveAction]:
    """Put a rejection on disk, so that no verdict is asked for again; returns what is to be undone.

    `doomed` will be undone in this order; what is `held` is denied; what is `beyond`, in the order
    it was done, needs attention. Of what is `unsettled` it is not yet known whether it happened: it
    is kept what follows if it has. What another process has moved meanwhile is left alone: a
    person who was quicker has decided.
    """
    line_up(doomed)
    line_up(list(reversed(beyond)))
    for action in doomed:
        action.tries = 1
    groups = [(list(doomed), State.UNDOING), (list(held), State.DENIED)]
    groups.append((list(beyond), State.DISPUTED))
    fates = [Kept(owner=a.id, name=_FATE, value=fate.value.encode()) for a, fate in unsettled]
    keep = [*keep, *fates]
    for left in reversed(range(MOST_STALE)):
        try:
            await book.move_together(
                [StateChange(actions=a, state=state, why=why) for a, state in groups], keep=keep
            )
            break
        except StaleEntryError:
            still = [(await _list_unmoved(actions, book), state) for actions, state in groups]
            if not left or still == groups:
                # Not of one action: this process was given up, and may write nothing.
                raise
            groups = still
    if groups[0][0]:
        await checkpoint(Point.DOOMED)
    if groups[2][0]:
        await checkpoint(Point.DISPUTED)
    return groups[0][0]


class Fate(StrEnum):
    """What happens to a call that turns out to have happened after its attempt was rejected."""

    UNDO = "undo"
    DISPUTE = "dispute"
    """It needs attention."""


_FATE = "rejected"
"""By what name that is kept with an action."""


def choose_fate(action: LiveAction, undone: Iterable[LiveAction]) -> Fate:
    """What is right for a call beside others of its attempt that are undone before it.

    Its snapshot has what an earlier call on its object left: put back, that would stand again.
    """
    if action.opening.effect is not Effect.REVERSIBLE:
        return Fate.DISPUTE
    if action.record.before is None:
        return Fate.UNDO
    order, objects = read_order(action), action.objects
    rests = any(
        read_order(each) < order
        and not (objects and each.objects and objects.isdisjoint(each.objects))
        for each in undone
    )
    return Fate.DISPUTE if rests else Fate.UNDO


def load_fate(action: str, vault: Vault) -> Fate | None:
    """What was decided on an action before it was known that it happened; `None`: nothing."""
    kept = vault.get(action, _FATE)
    return None if kept is None else Fate(kept.decode())


async def _list_unmoved(actions: Sequence[LiveAction], book: JournalWriter) -> list[LiveAction]:
    """Those that stand in the journal as this process knows them."""
    found = [await asyncio.to_thread(book.journal.find_action, action.id) for action in actions]
    return [
        action
        for action, current in zip(actions, found, strict=True)
        if current is not None and current.version == action.version
    ]


async def record_undeclared(
    attempt: LiveAttempt, *, book: JournalWriter, why: str
) -> list[RejectedAction]:
    """Put what stands of a rejected attempt before a person, and say what it is.

    What turns inside it did belongs to it, also what is not declared.
    """
    standing: list[tuple[UntrackedCall, LiveAction]] = []
    for part in attempt.list_whole():
        made = [(each, each.build()) for each in part.untracked]
        part.untracked.clear()
        part.actions.extend(action for _, action in made)
        standing += made
    if not standing:
        return []
    try:
        await _record_standing(
            [(each.came_back, action) for each, action in standing], book=book, why=why
        )
    except MulliganError as error:
        # The agent and the person are still told; only the open list does not have it.
        _report.warning("What is left of a rejected attempt could not be recorded: %s", error)
    return [_describe_standing(each, action) for each, action in standing]


async def record_undeclared_late(
    calls: Iterable[UndeclaredCall], *, book: JournalWriter, why: str
) -> None:
    """The same for an attempt of a turn that is gone, as far as its evidence knows of them."""
    standing = []
    for call in {each.id: each for each in calls}.values():
        if await asyncio.to_thread(book.journal.find_action, call.id) is not None:
            # The turn itself, or a pass before this one, has put it on the list.
            continue
        action = LiveAction(
            id=call.id,
            opening=call.opening,
            declaration=Declaration(tool=call.opening.tool, server=call.opening.server),
            record=Record(arguments=call.arguments),
            opened_at=book.clock(),
        )
        standing.append((call.came_back, action))
    try:
        await _record_standing(standing, book=book, why=why)
    finally:
        book.let_go(action for _, action in standing)


async def _record_standing(
    standing: Sequence[tuple[bool, LiveAction]], *, book: JournalWriter, why: str
) -> None:
    actions = [action for _, action in standing]
    book.live.update(action.id for action in actions)
    keep = [kept for action in actions for kept in keep_said(action)]
    for action in actions:
        value = encode_value(action.record.arguments)
        keep.append(Kept(owner=action.id, name="arguments", value=value))
    await book.move(actions, State.INTENT, keep=keep, why="Its effect is not declared.")
    came_back = [action for certain, action in standing if certain]
    await book.move(came_back, State.EXECUTED)
    await book.move(came_back, State.DISPUTED, why=why)
    unsure = [action for certain, action in standing if not certain]
    lead = "It failed, and may have taken effect."
    told = why.with_lead(lead) if isinstance(why, Rejection) else f"{lead} {why}"
    await book.move(unsure, State.NEEDS_HUMAN, why=told)


def _describe_standing(untracked: UntrackedCall, action: LiveAction) -> RejectedAction:
    declared = action.opening.effect is not Effect.UNDECLARED
    reason = "its tool is only watched" if declared else "its effect is not declared"
    if untracked.calls_tools and not declared:
        reason += " beside the tools that it called"
    why = f"{reason}, so it cannot be undone"
    if not untracked.came_back:
        why = f"it failed, and may have taken effect; {why}"
    return build_rejected_action(
        action, result=None, why=why, certain=untracked.came_back, blocks=False
    )


WAVE = 100
"""Undos of different objects that are sent before they are verified together."""


async def undo_all(
    attempt: LiveAttempt, *, book: JournalWriter, why: str, keep: Sequence[Kept] = ()
) -> list[RejectedAction]:
    """Undo a whole attempt: in reverse, each action on its own, none stopped by another.

    What turns inside this attempt did belongs to it, also what their reviews accepted. What comes
    back while others are being undone is undone too; what has not come back at the end is known
    to be unwanted once it does.
    """
    # Of a review that was cut short, and is made again elsewhere.
    before = [a for a in attempt.list_whole_in_state(*STATE_AFTER.values()) if a.undone is not None]
    doomed: list[LiveAction] = []
    undeclared: list[RejectedAction] = []
    known: set[tuple[str, State | None]] = set()
    while True:
        # First: once the others are on record as rejected, this attempt is not reviewed again.
        undeclared += await record_undeclared(attempt, book=book, why=why)
        standing = _list_unknown(attempt, AWAITING_REVIEW, known)
        unsettled = _list_unknown(attempt, UNANSWERED, known)
        held = attempt.list_whole_in_state(State.HELD)
        if not (standing or unsettled or held or keep):
            break
        gone = attempt.list_whole_in_state(State.UNDONE, State.UNDOING)
        now = [a for a in reversed(standing) if choose_fate(a, gone) is Fate.UNDO]
        taken = await reject(
            now,
            held=held,
            beyond=[action for action in standing if action not in now],
            unsettled=[(action, choose_fate(action, [*gone, *now])) for action in unsettled],
            book=book,
            why=why,
            keep=keep,
        )
        doomed, keep = [*doomed, *now], ()
        await undo_actions(taken, book=book)
        if not (standing or unsettled):
            break
    named = {each.action for each in undeclared}
    beyond = [each for each in _list_beyond_undo(attempt) if each.action not in named]
    undone = [
        build_rejected_action(action, result=action.undone, why=action.undone_why)
        for action in (*before, *doomed)
    ]
    return [*undone, *beyond, *undeclared]


def _list_unknown(
    attempt: LiveAttempt, states: Collection[State], known: set[tuple[str, State | None]]
) -> list[LiveAction]:
    """What is in such a state now and was not when it was last asked for; then it is known."""
    found = [a for a in attempt.list_whole_in_state(*states) if (a.id, a.state) not in known]
    known |= {(action.id, action.state) for action in found}
    return found


async def dispute_all(
    attempt: LiveAttempt, *, book: JournalWriter, why: str, keep: Sequence[Kept] = ()
) -> None:
    """Mark an attempt's actions as disputed, so that a person may have them undone."""
    await record_undeclared(attempt, book=book, why=why)
    unsettled = attempt.list_whole_in_state(*UNANSWERED)
    await reject(
        (),
        held=attempt.list_whole_in_state(State.HELD),
        beyond=attempt.list_whole_in_state(*AWAITING_REVIEW),
        unsettled=[(action, Fate.DISPUTE) for action in unsettled],
        book=book,
        why=why,
        keep=keep,
    )


async def undo_actions(actions: Sequence[LiveAction], *, book: JournalWriter) -> None:
    """Undo actions that are doomed, in this order; each is verified and recorded."""
    rollback = _Rollback(book=book, by_id={action.id: action for action in actions})
    # An undo that calls a declared tool is no part of the turn whose work it undoes.
    with leave_turns():
        for wave in _split_waves(actions):
            await rollback.undo_wave([a for a in wave if not await rollback.is_stuck(a)])
        for action in rollback.postponed:
            await rollback.undo_wave([action], last=True)


async def assess_undo(
    action: LiveAction, *, among: dict[str, LiveAction], book: JournalWriter
) -> tuple[State, str]:
    """What an undo would come to now, beside others that would be undone too; nothing is sent."""
    begun = await _Rollback(book=book, by_id=among)._assess(action)  # noqa: SLF001 - of this module
    if begun.undone is None:
        return State.UNDONE, ""
    return STATE_AFTER[begun.undone.result], begun.undone.why


def _split_waves(actions: Sequence[LiveAction]) -> Iterator[list[LiveAction]]:
    """Actions that do not touch each other's objects, a wave each; what has no version, alone."""
    wave: list[LiveAction] = []
    touched: set[tuple[str, str]] = set()
    around: set[tuple[str, str]] = set()
    ids: set[str] = set()
    for action in actions:
        alone = not is_told_by_version(action)
        outer = set(list_outer(action.objects))
        waits = not (
            touched.isdisjoint(action.objects | outer)
            and around.isdisjoint(action.objects)
            and ids.isdisjoint(action.after)
        )
        if wave and (alone or waits or len(wave) >= WAVE):
            yield wave
            wave, touched, around, ids = [], set(), set(), set()
        wave.append(action)
        touched |= action.objects
        around |= outer
        ids.add(action.id)
        if alone:
            yield wave
            wave, touched, around, ids = [], set(), set(), set()
    if wave:
        yield wave


def list_outer(objects: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What objects are in, by their paths: a folder is moved with all of it, and is not as it was
    while something in it is not."""
    for server, name in objects:
        while "/" in name:
            name = name.rpartition("/")[0]
            yield server, name


@dataclass(slots=True, kw_only=True)
class _Undo:
    """One undo, from its assessment to its result."""

    action: LiveAction
    record: Record
    policy: UndoPolicy
    first: Observation
    undone: Undone | None
    failure: BaseException | None = None
    may_land: bool
    """Asked before the look: what it does not find may arrive while its answer is in flight."""


@dataclass(slots=True, kw_only=True)
class _Rollback:
    """Undoes some actions, and knows what its own undos have written."""

    book: JournalWriter
    by_id: dict[str, LiveAction]
    behind: set[str] = field(default_factory=set)
    """Ids of those that were postponed."""
    postponed: list[LiveAction] = field(default_factory=list)
    """A later call of ours has written over them, which is undone first."""

    async def is_stuck(self, action: LiveAction) -> bool:
        """Whether a later action about the same object could not be undone, so that this waits."""
        for later in (self.by_id[name] for name in action.after if name in self.by_id):
            if later.state is not State.UNDONE and later.id not in self.behind:
                action.undone, action.undone_why = UndoResult.FAILED, _COVERED
                if not action.objects:
                    action.undone_why = _COVERED_PERHAPS
                why = f"{later.what} came after it and could not be undone."
                await self.book.move([action], State.UNDO_FAILED, why=why)
                return True
        return False

    async def undo_wave(self, actions: Sequence[LiveAction], *, last: bool = False) -> None:
        """Assess all, put on record what is sent, run all, let it settle, verify all, record it."""
        sending, done = [], []
        for action in actions:
            begun = await self._assess(action)
            if begun.undone is None:
                sending.append(begun)
            elif begun.undone.behind_ours and not last:
                self.postponed.append(action)
                self.behind.add(action.id)
            else:
                done.append(begun)
        await self._run_undos(sending)
        for each in sending:
            each.undone = await self._verify(each)
        await self._record([*done, *sending])

    async def _assess(self, action: LiveAction) -> _Undo:
        may_land = may_still_land(action, self.book)
        version, later, seen = await asyncio.to_thread(self._load_known, action)
        record = with_version(action.record, version)
        policy = UndoPolicy(
            callbacks=action.callbacks,
            deletes=action.declaration.deletes,
            settles_within=action.declaration.remote.settles_within,
            answers_within=action.declaration.remote.answers_within,
            begun=action.undo_begun,
            seen=action.seen or seen,
            later=later,
            declared_about=bool(action.objects),
        )
        action.undone = UndoResult.FAILED
        first = await read_current(record, policy)
        if not first.ours and first.error is None:
            policy = await self._weigh_writer(action, record, first, policy)
            record, first = claim_by_content(record, first, policy=policy)
        record, first, undone = _claim_by_word(action, record, first)
        undone = undone or assess_current(record, first, policy=policy)
        return _Undo(
            action=action,
            record=record,
            policy=policy,
            first=first,
            undone=undone,
            may_land=may_land,
        )

    async def _weigh_writer(
        self, action: LiveAction, record: Record, observed: Observation, policy: UndoPolicy
    ) -> UndoPolicy:
        """The same, with what is known of an undo of ours that has written what is there."""
        history, objects = self.book.history, action.objects
        undone = await asyncio.to_thread(history.find_undone, observed.version, objects)
        if undone is None:
            return policy
        policy = replace(policy, undo_wrote=observed.version is not None)
        within, around = await asyncio.to_thread(self._load_nested, action, undone)
        if around is None:
            return replace(policy, undone_within=within)
        version = await read_version_before(record, policy)
        before = to_plain(record.before)
        made = is_made_by(around.given, before=around.found, now=before, version=version)
        return replace(policy, undone_around=made)

    def _load_nested(self, action: LiveAction, undone: str) -> tuple[str, OtherCall | None]:
        """The call that is undone, if it has called the action; else its tool, if it was called
        while the action was under way, by that or beside it: then it has found what that left."""
        history, other = self.book.history, self.book.journal.find_action(undone)
        if other is None:
            return "", None
        if history.is_within(action.id, other.id):
            return "", load_call(other, book=self.book)
        within = history.is_within(other.id, action.id)
        beside = within or history.may_come_after(action.id, since=other.opened_at)
        return other.opening.tool if beside else "", None

    def _load_known(self, action: LiveAction) -> tuple[str | None, LaterCalls, bool]:
        """The version at which what it left stands, what we did to its object since, and whether
        what it left was seen by an undo of a call that it has made."""
        history, objects, left = self.book.history, action.objects, action.record.version
        if not objects:
            return left, self._find_possible_later(action), False
        own_calls = history.list_later(action.id, objects, since=action.opened_at)
        version = history.find_version(action.id, objects, left=left)
        seen = history.find_seen(action.id, objects)
        # A call that returned no version cannot be tied to this very state.
        known = seen is not None and (bool(seen) or action.callbacks.version is None)
        return version, summarize(own_calls, among=self.by_id), known

    def _find_possible_later(self, action: LiveAction) -> LaterCalls:
        """Others that are undone with it may be on its object, where neither tool says so."""
        opening = action.opening
        where = (opening.tenant, opening.server)
        beside = [
            a
            for a in self.by_id.values()
            if not a.objects and (a.opening.tenant, a.opening.server) == where
        ]
        wanted = ActionQuery(
            tenant=opening.tenant, tool=opening.tool, states=UNANSWERED, since=action.opened_at
        )
        unanswered = [
            each.opening.tool
            for each in read_all(self.book.journal.list_actions, wanted)
            if each.opening.server == opening.server and each.id not in self.by_id
        ]
        waiting = [a for a in beside if a.state is State.UNDOING and a.id > action.id]
        undone = [a for a in beside if a.state is State.UNDONE]
        versions = {a.record.version for a in waiting} - {None}
        return LaterCalls(
            unanswered=unanswered[0] if unanswered else "",
            unversioned=next((a.opening.tool for a in undone), ""),
            versions=frozenset(map(str, versions)),
        )

    async def _run_undos(self, sending: Sequence[_Undo]) -> None:
        if not sending:
            return
        for each in sending:
            each.action.undo_begun = True
            each.action.seen = each.action.seen or each.first.ours
        actions = [each.action for each in sending]
        await self.book.move(actions, State.UNDOING, facts={"why": "It is sent."})
        self.book.require_lease(actions, to=Request.UNDO)
        for each in sending:
            each.failure = await run_undo(each.record, each.policy)
        await wait_to_settle(max((e.policy for e in sending), key=lambda t: t.settles_within))

    async def _verify(self, sent: _Undo) -> Undone:
        undone = await verify(sent.record, sent.policy, first=sent.first, failure=sent.failure)
        if undone.result is UndoResult.FAILED and sent.policy.versioned:
            # Once more at once: under its version, it is done once at the most.
            sent.failure = await run_undo(sent.record, sent.policy)
            await wait_to_settle(sent.policy)
            undone = await verify(sent.record, sent.policy, first=sent.first, failure=sent.failure)
        await checkpoint(Point.PROVEN)
        return undone

    async def _record(self, done: Sequence[_Undo]) -> None:
        for each in done:
            if each.undone is not None and each.may_land:
                each.undone = doubt_restored(each.undone)
        restored = [e for e in done if e.undone and e.undone.result is UndoResult.RESTORED]
        keep: list[Kept] = []
        for each in restored:
            each.action.undone = UndoResult.RESTORED
            keep += await self._keep_versions(each)
        facts: dict[str, object] = {"result": UndoResult.RESTORED.value}
        await self.book.move([e.action for e in restored], State.UNDONE, keep=keep, facts=facts)
        for each in done:
            if each not in restored and each.undone is not None:
                await self._record_trouble(each, each.undone)
            await checkpoint(Point.UNDONE)

    async def _keep_versions(self, sent: _Undo) -> list[Kept]:
        """What was at one version stands at another now, by our own undo.

        Where a later call of ours stays, and nothing was to undo, what is there may be its work.
        """
        if not sent.action.objects:
            return []
        theirs = sent.policy.later.stays and not sent.first.ours
        was = None if theirs else await read_version_before(sent.record, sent.policy)
        until = self.book.clock() + SHARED_LIFE
        new = sent.undone.version if sent.undone else None
        keep = self.book.history.keep_undo(
            sent.action.id, sent.action.objects, old=was, new=new, until=until
        )
        return await asyncio.to_thread(list, keep)

    async def _record_trouble(self, sent: _Undo, undone: Undone) -> None:
        action = sent.action
        action.undone = undone.result
        action.undone_why = hide_secrets(undone.told, action.record.arguments)
        if undone.doubted:
            action.seen = False
        if sent.may_land or (sent.policy.versioned and lacks_room(sent.failure)):
            # What may land is over in its time; room comes back when it does, and under its version
            # it is tried for as long as that.
            action.tries = min(action.tries, MOST_TRIES)
        facts: dict[str, object] = {"result": undone.result.value}
        keep: list[Kept] = []
        if undone.result in (UndoResult.CONFLICT, UndoResult.PARTIAL):
            # Even if nothing stands there in place of ours: for the person who decides.
            keep = [Kept(owner=action.id, name="theirs", value=encode_value(undone.theirs))]
        if undone.result is UndoResult.CONFLICT:
            # Both versions as they are: in `why` a long one would be taken for a secret.
            facts |= {"left_at": sent.record.version, "now_at": undone.version}
        if undone.for_a_person or not sent.policy.versioned:
            # Without a version a second undo cannot be told from the first, and what was undone
            # since would come back with it. Once one was sent, recovery only looks.
            alone = len(self.by_id) == 1 and not action.undo_begun
            # Another look may find that an undo has worked which was sent.
            silent = sent.failure is not None and is_silence(sent.failure)
            tells = action.undo_begun and (undone.result is UndoResult.UNKNOWN or silent)
            facts["for_a_person"] = undone.for_a_person or not (alone or tells)
        state = STATE_AFTER[undone.result]
        await self.book.move([action], state, keep=keep, why=undone.why, facts=facts)


def _claim_by_word(
    action: LiveAction, record: Record, observed: Observation
) -> tuple[Record, Observation, Undone | None]:
    """Take what is there for ours because a person has said so: only what was there then."""
    if not action.claimed or observed.error is not None or observed.restored:
        return record, observed, None
    named = name_state(observed.state, observed.version)
    if action.claimed_at is None and not action.undo_begun:
        action.claimed_at = named
    if named == action.claimed_at:
        return with_version(record, observed.version), replace(observed, ours=True), None
    if action.callbacks.version is not None:
        return record, observed, None
    why = "It was changed since a person confirmed that this call made it."
    return record, observed, Undone(result=UndoResult.CONFLICT, why=why, theirs=observed.state)


_COVERED = "a later call on the same object could not be undone"
_COVERED_PERHAPS = (
    "a later call could not be undone, and their tools do not declare which objects they are about"
)


def _list_beyond_undo(attempt: LiveAttempt) -> list[RejectedAction]:
    """Calls that may have changed something and that cannot be undone."""
    states = (State.UNKNOWN, State.INTENT, State.NEEDS_HUMAN, State.DISPUTED)
    inner = [a for a in attempt.list_inner() if a.state in states]
    return [
        build_rejected_action(
            action,
            result=None,
            certain=action.state is State.DISPUTED,
            why="" if action.state is State.DISPUTED else "it may or may not have taken effect",
        )
        for action in [*attempt.list_in_state(*states), *inner]
        if action.state not in SETTLED
    ]
