"""The journal as turns write it: each step that actions take, late results, and what we did to an
object ourselves.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct

from mulligan.codec import decode_value
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.assessment import LaterCalls
from mulligan.runtime.live_action import LiveAction, keep_said
from mulligan.runtime.payloads import (
    keep_arguments,
    keep_before,
    keep_findings,
    keep_outcome,
    keep_review,
    load_edited,
    load_record,
)
from mulligan.runtime.waiting import ON_LOOP, BootTime, SteadyClock, Waiter, read_steady
from mulligan.types.action import (
    HOLD_LIFE,
    HOLDS,
    IN_PLACE,
    JOURNAL,
    STILL_THERE,
    UNANSWERED,
    Action,
    By,
    Entry,
    Kept,
    Opening,
    Request,
    State,
    check_step,
    find_late_step,
)
from mulligan.types.errors import (
    IllegalTransitionError,
    JournalError,
    MulliganError,
    StaleEntryError,
    StoreError,
)
from mulligan.types.events import ActionMoved, ActionUndone
from mulligan.types.finding import Verdict
from mulligan.types.interfaces import Clock, Journal, Vault
from mulligan.types.limits import Retention

T = TypeVar("T")

Objects = frozenset[tuple[str, str]]
"""What a call is about, by server and id."""

LONGEST = 1_000
"""Places of an object that are looked back on."""

BESIDE = 10
"""Earlier places among which one may be of a call that was made at the same time."""


class OwnCall(Struct, frozen=True, kw_only=True):
    """One call of ours on an object, in its present state."""

    action: Action
    version: str | None
    """The version of what it left, as far as it is known."""
    beside: bool = False
    """It was asked for before the other, and came back after that was asked for, or not yet."""

    @property
    def stands(self) -> bool:
        """Whether something of it is there, and is to be undone first or to stay.

        Of two that were made beside each other and are both being undone, neither waits.
        """
        return self.action.state in (IN_PLACE if self.beside else STILL_THERE)

    @property
    def may_stand(self) -> bool:
        """Whether that is unknown."""
        return self.action.state in UNANSWERED

    @property
    def has_written(self) -> bool:
        """Whether it, or an undo of it, has changed the object."""
        # Also one beside another, for which that does not wait.
        return self.action.state in STILL_THERE | {State.UNDONE, State.CLOSED}


@dataclass(slots=True, kw_only=True)
class ObjectHistory:
    """The calls on each object, kept under its name."""

    vault: Vault
    journal: Journal
    _taken: dict[str, int] = field(default_factory=dict)
    """The last place of each object that this process has given away, which may not be kept yet."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take_places(
        self, calls: Iterable[tuple[str, Objects]], *, until: datetime
    ) -> Iterator[Kept]:
        """Give each call the next place on its objects: what is to be kept for that."""
        for action, objects in calls:
            for owner in _list_owners(objects):
                with suppress(StoreError):  # damaged, it is not known any more, and that is said
                    place = self._take_place(owner)
                    for name, value in ((_PLACE.format(place), action), (_LAST, str(place))):
                        yield Kept(owner=owner, name=name, value=value.encode(), expires_at=until)

    def _take_place(self, owner: str) -> int:
        with self._lock:
            if len(self._taken) > LONGEST:
                self._taken.clear()
            last = max(self._read_last(owner), self._taken.get(owner, 0))
            self._taken[owner] = last + 1
            return last + 1

    def list_later(self, action: str, objects: Objects, *, since: datetime) -> list[OwnCall]:
        """Our own calls on the same objects that came after one, the latest first.

        `since` is when it was asked for: one that was asked for before and came back after that
        was made beside it, and may have written last.
        """
        found: dict[str, OwnCall | None] = {}
        for owner in _list_owners(objects):
            places = list(self._walk_back(owner))
            # Its own place may have been lost to another process in the same moment.
            here = places.index(action) if action in places else len(places)
            known = here < len(places)
            later = places[:here] if known else [each for each in places if each > action]
            before = places[here + 1 :]
            found |= {each: self._find_call(each, owner) for each in later}
            for each in before[:BESIDE]:
                # One that has made it came back after it, whatever the clock says.
                around = self.is_within(action, each)
                if each not in found and (around or self.may_come_after(each, since=since)):
                    found[each] = self._find_call(each, owner, beside=True)
        return [call for call in found.values() if call is not None]

    def find_version(self, action: str, objects: Objects, *, left: str | None) -> str | None:
        """The version at which what a call left stands now, by our own undos of later ones."""
        kept = (self.vault.get(owner, _STANDS.format(action)) for owner in _list_owners(objects))
        return next((value.decode() for value in kept if value is not None), left)

    def keep_undo(
        self, action: str, objects: Objects, *, old: str | None, new: str | None, until: datetime
    ) -> Iterator[Kept]:
        """Values that say: what was at version `old` stands at version `new`, by our own undo."""
        for owner in _list_owners(objects):
            said = {_WRITTEN.format(new or ""): action}
            whose = None if old in (None, new) else self._find_whose(old, action, owner)
            if whose is not None and new is not None:
                said[_STANDS.format(whose)] = new
            for around in self._list_around(action, owner):
                said[_SEEN.format(around)] = self._read_version(action, owner) or ""
            for name, value in said.items():
                yield Kept(owner=owner, name=name, value=value.encode(), expires_at=until)

    def _list_around(self, action: str, owner: str) -> list[str]:
        """The calls that a call was made in, where those say that they left what it has left."""
        if self.vault.get(action, WITHIN) is None:
            return []
        left, places = self._read_version(action, owner), list(self._walk_back(owner))
        before = places[places.index(action) + 1 :] if action in places else ()
        around = [each for each in before if self.is_within(action, each)]
        return [each for each in around if self._read_version(each, owner) == left]

    def is_within(self, action: str, other: str) -> bool:
        """Whether a call was made by another one, which had not come back by then."""
        kept = self.vault.get(action, WITHIN)
        calls = [] if kept is None else kept.decode().split()
        found = self.journal.find_action(other) if calls else None
        return found is not None and (found.opening.call or found.id) in calls

    def find_seen(self, action: str, objects: Objects) -> str | None:
        """The version at which what a call left was seen by the undo of one that it has made."""
        kept = (self.vault.get(owner, _SEEN.format(action)) for owner in _list_owners(objects))
        return next((value.decode() for value in kept if value is not None), None)

    def find_undone(self, version: str | None, objects: Objects) -> str | None:
        """The action whose undo has left an object at a version; `None` as one: gone."""
        key = _WRITTEN.format(version or "")
        kept = (self.vault.get(owner, key) for owner in _list_owners(objects))
        return next((value.decode() for value in kept if value is not None), None)

    def _find_whose(self, version: str, action: str, owner: str) -> str | None:
        """The call before this one that had left the object at a version."""
        places = list(self._walk_back(owner))
        before = places[places.index(action) + 1 :] if action in places else ()
        return next((each for each in before if self._read_version(each, owner) == version), None)

    def _find_call(self, action: str, owner: str, *, beside: bool = False) -> OwnCall | None:
        found = self.journal.find_action(action)
        if found is None:
            return None
        return OwnCall(action=found, version=self._read_version(action, owner), beside=beside)

    def may_come_after(self, action: str, *, since: datetime) -> bool:
        """Whether a call came back after a moment, or has not come back yet."""
        entries = list(self.journal.list_entries(action))
        came = any(each.state is State.EXECUTED and each.at >= since for each in entries)
        return came or (bool(entries) and entries[-1].state in UNANSWERED)

    def _read_version(self, action: str, owner: str) -> str | None:
        stands = self.vault.get(owner, _STANDS.format(action))
        if stands is not None:
            return stands.decode()
        kept = self.vault.get(action, "result")
        came = None if kept is None else decode_value(kept)
        version = came.get("version") if isinstance(came, dict) else None
        return None if version is None else str(version)

    def _walk_back(self, owner: str) -> Iterator[str]:
        """The calls on an object, the latest first, each once."""
        last = self._read_last(owner)
        kept = (self.vault.get(owner, _PLACE.format(n)) for n in range(last, 0, -1)[:LONGEST])
        yield from dict.fromkeys(value.decode() for value in kept if value is not None)

    def _read_last(self, owner: str) -> int:
        kept = self.vault.get(owner, _LAST)
        return int(kept) if kept is not None and kept.isdigit() else 0


_LAST = "last"
_PLACE = "call:{}"
_STANDS = "stands:{}"
_WRITTEN = "written:{}"
"""By which action's undo."""
_SEEN = "seen:{}"
WITHIN = "within"
"""By what name the calls are kept with an action that it was made by."""


def summarize(own_calls: Iterable[OwnCall], *, among: Collection[str] = ()) -> LaterCalls:
    """What an undo must know of later calls. Those `among` which it is made are in order there."""
    later = list(own_calls)
    others = [each for each in later if each.action.id not in among]
    unversioned = [
        each
        for each in later
        if (each.has_written and each.version is None) or (each.beside and each.may_stand)
    ]
    return LaterCalls(
        standing=_name_first(each for each in others if each.stands),
        unanswered=_name_first(each for each in others if each.may_stand and not each.beside),
        unversioned=_name_first(unversioned),
        versions=frozenset(each.version for each in later if each.version is not None),
    )


def _name_first(own_calls: Iterable[OwnCall]) -> str:
    return next((each.action.opening.tool for each in own_calls), "")


def _list_owners(objects: Objects) -> list[str]:
    return [f"object:{server}:{name}" for server, name in sorted(objects)]


_report = logging.getLogger("mulligan")

SHARED_LIFE = timedelta(days=90)
"""How long what belongs to no single action is kept: as long as the journal itself."""


class StateChange(Struct, frozen=True, kw_only=True):
    """One step that some actions take alike."""

    actions: Sequence[LiveAction]
    state: State
    why: str = ""
    """May quote anything, and is scrubbed."""
    facts: Mapping[str, object] = {}
    """Our own words and numbers."""


class Openings:
    """Opens one action after the other, also from threads and where the clock was set back.

    Each is opened when its snapshot was read and before its call is sent. So the first of several
    that were under way at once has seen what was there before all of them: undone in reverse, it
    has the last word. Ids are drawn before the snapshot is read, and tell nothing of that.
    """

    def __init__(self) -> None:
        self._latest: datetime | None = None
        self._drawing = threading.Lock()

    def draw(self, now: datetime) -> datetime:
        """A time above all that were drawn before."""
        with self._drawing:
            latest = self._latest
            if latest is not None and now <= latest:
                now = latest + timedelta(microseconds=1)
            self._latest = now
        return now


CAME_BACK_LATE = "It was sent by a process whose lease had expired, and its answer came later."
_AT_ONCE = 3
"""How often it is told at once, where others write at the same moment."""


@dataclass(slots=True, kw_only=True)
class JournalWriter:
    """Writes the steps of actions, and knows which of them this process is at work on."""

    journal: Journal
    vault: Vault
    clock: Clock
    scrub: Callable[[str], str]
    announce: Callable[[Opening, Entry], None]
    live: set[str] = field(default_factory=set)
    """Ids of the actions that this process will take further."""
    recovered: set[str] = field(default_factory=set)
    """Ids of those that a pass of recovery has before it now: it takes up nothing that is live."""
    steady: SteadyClock = read_steady
    """Measures waits; monotonic."""
    first_seen: dict[str, BootTime] = field(default_factory=dict)
    """When this process first saw of an action that it gave no answer."""
    opened: Openings = field(default_factory=Openings)
    """When the last action was opened."""
    stood_since: dict[str, tuple[int, BootTime]] = field(default_factory=dict)
    """The last entry that this process saw of an action, and when it first did."""
    untold: dict[str, tuple[LiveAction, str]] = field(default_factory=dict)
    """What came back when others had given this process up, and why that is told."""
    hold_life: timedelta = HOLD_LIFE
    """How long a held call waits for approval."""
    kept_life: timedelta = Retention().kept
    """How long it is kept what a review quotes."""
    waiter: Waiter = ON_LOOP
    """How an entry that is being written is waited for."""
    history: ObjectHistory = field(init=False)
    """Our own calls on each object."""

    def __post_init__(self) -> None:
        self.history = ObjectHistory(vault=self.vault, journal=self.journal)

    def with_waiter(self, waiter: Waiter) -> JournalWriter:
        """The same writer with another way of waiting."""
        if waiter is self.waiter:
            return self
        same = replace(self, waiter=waiter)
        same.history = self.history
        return same

    async def intend(
        self, actions: Sequence[LiveAction], *, keep: Iterable[Kept], why: str
    ) -> None:
        """On disk before the effect: that it will be tried, and what an undo will need."""
        keep = list(keep)
        for action in actions:
            keep += [*keep_arguments(action), *keep_before(action), *keep_said(action)]
            self.live.add(action.id)
        await self.move(actions, State.INTENT, keep=keep, why=why)

    async def mark_executed(
        self, actions: Sequence[LiveAction], *, facts: Mapping[str, object] | None = None
    ) -> None:
        """It happened; what it returned is kept for an undo that may come from elsewhere."""
        first, *others = [action.record.result for action in actions]
        shared = first is not None and others and all(each is first for each in others)
        keep: list[Kept] = []
        for a in actions:
            row = Kept(owner=a.id, name="result", value=b"")
            keep += keep_outcome(a, row, whole=not shared)
        if shared:
            # One for all: of a bulk of thousands, each would else keep what all returned.
            keep += keep_outcome(actions[0], self.keep_shared(actions, "result", b""))
        await self.move(actions, State.EXECUTED, keep=keep, facts=facts)

    def keep_shared(self, actions: Sequence[LiveAction], name: str, value: bytes) -> Kept:
        """What all actions of a call have in common; of a bulk, kept once and for its time."""
        parent = actions[0].opening.parent
        if parent is None:
            return Kept(owner=actions[0].id, name=name, value=value)
        until = self.clock() + SHARED_LIFE
        return Kept(owner=parent, name=name, value=value, expires_at=until)

    async def move(
        self,
        actions: Iterable[LiveAction],
        state: State,
        *,
        why: str = "",
        keep: Sequence[Kept] = (),
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """One step for each of some actions, in one transaction.

        `why` may quote anything and is scrubbed, and of a `Rejection` only its rules are written
        here; `facts` are our own words and numbers.
        """
        step = StateChange(actions=list(actions), state=state, why=why, facts=facts or {})
        await self.move_together([step], keep=keep)

    async def move_together(
        self, moves: Sequence[StateChange], *, keep: Sequence[Kept] = ()
    ) -> None:
        """Several kinds of steps in one transaction: all of them are on disk, or none.

        What is kept beside them is kept also where no step is taken.
        """
        moves = [move for move in moves if move.actions]
        if not moves and not keep:
            return
        actions = [action for move in moves for action in move.actions]
        before = [action.state for action in actions]
        for move in moves:
            for action in move.actions:
                check_step(action.id, action.state, move.state, by=action.by)
        entries = [entry for move in moves for entry in self._build_entries(move)]
        keep, until = list(keep), self.clock() + SHARED_LIFE
        for move in moves:
            keep += keep_findings(move.why, move.actions, scrub=self.scrub, until=until)
            keep += await self._take_places(move, until=until)
        # Submitted at once: a cancelled waiter loses the answer, not the entry.
        future = self.journal.submit(entries, keep=keep)
        for action, entry in zip(actions, entries, strict=True):
            action.state, action.version = entry.state, entry.version
        try:
            await self.waiter.wait(future)
        except MulliganError:
            for action, state, entry in zip(actions, before, entries, strict=True):
                action.state, action.version = state, entry.version - 1
            raise
        for action, entry in zip(actions, entries, strict=True):
            action.by = By.OWNER
            self.announce(action.opening, entry)

    async def _take_places(self, move: StateChange, *, until: datetime) -> Iterable[Kept]:
        """The places of calls on their objects: before they are made, if those are known by then.

        What has happened is written without waiting for anything.
        """
        calls = [(a.id, new) for a in move.actions if (new := a.take_new_objects(move.state))]
        taken: Iterable[Kept] = self.history.take_places(calls, until=until) if calls else ()
        if calls and move.state is State.INTENT:
            taken = await self.waiter.aside(partial(list, taken))
        return taken

    def build_review(
        self, verdict: Verdict, *, turn: str, attempt: int, told: str = "", late: bool = False
    ) -> list[Kept]:
        """The result of a review, to be kept for the page of its turn."""
        if not (verdict.by or verdict.findings or verdict.facts):
            return []
        now = self.clock()
        about: dict[str, Any] = {"turn": turn, "attempt": attempt, "told": told, "late": late}
        try:
            until = now + self.kept_life
            return [keep_review(verdict, **about, at=now, until=until, scrub=self.scrub)]
        except Exception as error:  # noqa: BLE001 - a page may lack it, a turn may not fail for it
            _report.warning("The result of a review could not be kept (%s).", type(error).__name__)
            return []

    def keep_later(self, kept: Sequence[Kept]) -> None:
        """Keep values that no step goes with. It runs in the background."""
        if kept:
            self.journal.submit([], keep=kept)

    def require_lease(self, actions: Sequence[LiveAction], *, to: Request) -> None:
        """Look once more before an outside call: what is not on record is not sent, and a process
        that was silent for too long sends nothing."""
        for action in actions:
            if JOURNAL[action.state].sends is not to:
                raise IllegalTransitionError(
                    f"Action {action.id} is {action.state}: no {to} is sent from there."
                )
        self.refuse_if_taken_over(actions)

    def refuse_if_taken_over(self, actions: Sequence[LiveAction]) -> None:
        """Refuse to go on where others may have taken over what this process was doing."""
        if not all(self.journal.holds_lease(action.id) for action in actions):
            raise StaleEntryError(
                "This process was silent for longer than its lease, so another process may have "
                "taken over. Nothing was sent."
            )

    async def read_answers(self, actions: Iterable[LiveAction]) -> None:
        """Take over what others have made of holds: a person answers when it suits them."""
        for action in [each for each in actions if each.state in HOLDS]:
            current = await asyncio.to_thread(self.journal.find_action, action.id)
            if current is None:
                continue
            action.state, action.version = current.state, current.version
            if await asyncio.to_thread(load_edited, self.vault, action.id) is not None:
                read = partial(load_record, vault=self.vault, originals=action.originals)
                action.record = await asyncio.to_thread(read, current, action.declaration)

    def has_passed(self, action: str, since: BootTime | None, wait: timedelta) -> bool:
        """Whether so much time has passed since an action was given up, by a monotonic clock.

        Another start of the machine tells nothing: then it counts from when this process saw it.
        """
        now = self.steady()
        seen = self.first_seen.setdefault(action, now)
        # Who was given up may have sent it after that, and has told: it counts from there.
        stamp = since if since is not None and since.boot == now.boot else seen
        return stamp.boot == now.boot and now.seconds - stamp.seconds >= wait.total_seconds()

    def has_stood(self, action: Action, wait: timedelta) -> bool:
        """Whether an action's last entry is so old: by the wall clock, which may have been set
        back since, or by how long this process has seen it stand."""
        now, (version, since) = self.steady(), self.stood_since.get(action.id, (0, self.steady()))
        if version != action.version or since.boot != now.boot:
            since = now
            self.stood_since[action.id] = (action.version, now)
        seen = timedelta(seconds=now.seconds - since.seconds)
        return max(seen, self.clock() - action.changed_at) >= wait

    def let_go(self, actions: Iterable[LiveAction]) -> None:
        """This process no longer works on them, unless their call is still running.

        What is open among them is for recovery.
        """
        self.live.difference_update(action.id for action in actions if not action.under_way)

    def remember(self, actions: Iterable[LiveAction], *, why: str = CAME_BACK_LATE) -> None:
        """Their calls came back here, and the store did not take that."""
        self.untold.update({action.id: (action, why) for action in actions})

    async def record_late_results(self) -> None:
        """Tell of all of them; what the store does not take now is told by the next pass."""
        for _ in range(_AT_ONCE):
            for action, why in list(self.untold.values()):
                # Another writer was first, or the store is unreachable.
                with suppress(JournalError, StoreError):
                    await self._record_late_result(action, why)
                    self.untold.pop(action.id, None)
            if not self.untold:
                return

    async def record_ending(self, actions: Sequence[LiveAction], write: Awaitable[T]) -> T | None:
        """Have it written down how calls ended; what the store does not take is told later.

        `None`: others had given this process up, and what they write may be that nothing happened.
        """
        try:
            return await write
        except StaleEntryError:
            self.remember(actions)
            await self.record_late_results()
            return None
        except StoreError:
            # Until it is back, others may give this process up.
            self.remember(actions)
            raise

    async def _record_late_result(self, action: LiveAction, why: str) -> None:
        """Escalate what was decided to a person, and have a pending decision look again."""
        current = await self.waiter.aside(partial(self.journal.find_action, action.id))
        after = None if current is None else find_late_step(current.state)
        if current is None or after is None:
            return
        action.state, action.version, action.by = current.state, current.version, By.LATE
        await self.move([action], after, why=why)

    def _build_entries(self, move: StateChange) -> list[Entry]:
        said = dict(move.facts)
        if move.why:
            given = (action.record.arguments for action in move.actions)
            said["why"] = self.scrub(hide_secrets(move.why, *given))
        return [self._build_entry(action, move.state, said) for action in move.actions]

    def _build_entry(self, action: LiveAction, state: State, said: Mapping[str, object]) -> Entry:
        own: dict[str, object] = {"tries": action.tries} if action.tries else {}
        at = self.clock()
        if action.version == 0:
            at = action.opened_at = self.opened.draw(at)
        if state is State.UNKNOWN:
            action.given_up = action.given_up or self.steady()
            own["given_up"] = list(action.given_up)
        if action.unheard_since is not None:
            own["unheard_since"] = list(action.unheard_since)
        if state in _TO_UNDO:
            if action.undo_begun:
                own |= {"undo_begun": True, "seen": action.seen}
            if action.claimed:
                own |= {"claimed": True, "claimed_at": action.claimed_at}
            if action.after:
                own["after"] = list(action.after)
        return Entry(
            action=action.id,
            state=state,
            at=at,
            version=action.version + 1,
            detail={**said, **own},
            opening=action.opening if action.version == 0 else None,
        )


_TO_UNDO = frozenset({State.UNDOING, State.UNDO_FAILED, State.CONFLICT, State.DISPUTED})
"""States from which an undo goes on, or a person may have one made: in the right order."""


def build_step_events(opening: Opening, entry: Entry) -> Iterator[ActionMoved | ActionUndone]:
    """What subscribers hear of a step."""
    yield ActionMoved(
        action=entry.action,
        state=entry.state,
        at=entry.at,
        tool=opening.tool,
        agent=opening.agent,
        tenant=opening.tenant,
        turn=opening.turn,
    )
    if entry.state is State.UNDONE:
        yield ActionUndone(
            action=entry.action,
            call=opening.call,
            tool=opening.tool,
            turn=opening.turn,
            attempt=opening.attempt,
        )
