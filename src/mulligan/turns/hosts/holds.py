"""Calls of a host that wait for a person: found again when its run goes on, in any process."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from mulligan.codec.exact import encode_exact
from mulligan.core.action import HOLDS, Action, Hold, Kept, State, find_expiry
from mulligan.core.adapter import HostCall
from mulligan.core.errors import ConfigurationError, HeldError, JournalError
from mulligan.core.interfaces import Vault
from mulligan.core.runtime.dataclass import dataclass
from mulligan.turns.calls.toolbox import Toolbox
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.hold import Held
from mulligan.turns.journal.live_action import LiveAction

KEPT = timedelta(days=1)
"""How long after the end of a hold its host may still ask what became of it."""

PAUSE = 0.05
"""Seconds between one look and the next at a call that another process is making."""
LOOKS = 600

NAME = "hold"
TOLD = "told"
LAST = "last hold"
"""The same whatever its arguments are, as a person may have given it others."""

_BY = "a person, through the host"
_DONE = (State.VERIFIED, State.EXECUTED, State.PENDING_REVIEW, State.UNCHECKED)
_DENIED = "A person has denied it, and it was not run. Do not call it again."
_REPLACED = "A person has approved it with other arguments."
_UNWANTED = "It was not run, since what was done together with it was found wrong."
_ENDS = {
    State.EXPIRED: "Nobody approved it in time, and it was not run. Ask the person.",
    State.INTENT: "It was approved, and is being made at this moment. Do not call it again.",
    State.NOT_EXECUTED: "It was approved and tried, and nothing was done.",
}


class Decides(Protocol):
    """How a person's word is written down, wherever it was said."""

    def approve(self, id_or_prefix: str, *, by: str) -> Action:
        """Let a held call run."""

    def deny(self, id_or_prefix: str, *, by: str, note: str = "", replaced_by: str = "") -> Action:
        """Never run a held call, or another one in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """A call that was held before: it may be made now, or was made by somebody else."""

    action: LiveAction
    made: bool
    """Its result is that of the action."""
    replaced: bool = False
    """The action is another call, which a person has put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHolds:
    """The held calls of one run, by the host's own ids."""

    book: Book
    toolbox: Toolbox
    vault: Vault
    decide: Callable[[], Decides]
    whose: str
    """What the host's ids are unique in: tenant, person, and thread or agent."""

    async def keep(self, call: HostCall, hold: Hold) -> None:
        """Remember which hold a call is."""
        until, value = hold.expires_at + KEPT, hold.action.encode()
        row = Kept(owner=self._name(call), name=NAME, value=value, expires_at=until)
        await asyncio.to_thread(self.vault.put, row)
        if call.id:
            last = replace(row, owner=self._name(_by_id(call)), name=LAST)
            await asyncio.to_thread(self.vault.put, last)

    async def keep_again(self, call: HostCall, action: Action) -> None:
        """The same of a hold that is on record, and whose process died before it was remembered."""
        until = find_expiry(action.detail, changed_at=action.changed_at)
        await self.keep(call, Hold(action=action.id, expires_at=until, reason=""))

    async def find(self, call: HostCall) -> Waited | None:
        """The call as it was held before; `HeldError` while it may not be made, or never."""
        kept = await asyncio.to_thread(self.vault.get, self._name(call), NAME)
        return None if kept is None else await self.follow(call, kept.decode())

    async def follow(self, call: HostCall, action_id: str) -> Waited | None:
        """The same of an action that is known, such as one that another caller makes meanwhile."""
        action = await self._find_decided(call, action_id)
        if action is None:
            return None
        if action.state not in (*HOLDS, State.INTENT):
            await self.forget(call)
        if action.state in _DONE or action.state is State.APPROVED:
            live = await asyncio.to_thread(self.toolbox.take_up, action, self.vault)
            if live is not None:
                return Waited(action=live, made=action.state is not State.APPROVED)
        if action.state is State.DENIED:
            other = await self._follow_other(call, action)
            if other is not None:
                return other
            raise await self._deny(call, action)
        raise self._refuse(call, action)

    async def replace(self, call: HostCall, *, by: str) -> Mapping[str, object] | None:
        """What a held call was given that a person has approved with other arguments: as it was
        held, it never runs. `by`: the id of the call that is made instead."""
        kept = await asyncio.to_thread(self.vault.get, self._name(_by_id(call)), LAST)
        found = None if kept is None else await self._look(kept.decode())
        if found is None:
            return None
        await self._require_fit(call, found)
        held = await asyncio.to_thread(self.toolbox.take_up, found, self.vault)
        try:
            decided = self.decide().deny
            await asyncio.to_thread(decided, found.id, by=_BY, note=_REPLACED, replaced_by=by)
        except (ConfigurationError, JournalError):
            # Somebody has decided elsewhere: it was made as it was held, or never will be.
            raise self._refuse(call, await self._look(found.id) or found) from None
        return {} if held is None else held.record.arguments

    async def _require_fit(self, call: HostCall, held: Action) -> None:
        """What the tool does not take is no decision: the call waits as it was."""
        try:
            if call.check is not None:
                await call.check(call.arguments)
        except Exception as error:
            told = f"{call.tool} does not take what it was changed to, and waits as it was: {error}"
            raise HeldError(told, action=held.id, why=told) from error

    async def _follow_other(self, call: HostCall, denied: Action) -> Waited | None:
        """The call that a person has put in the place of one, if it is on record."""
        by = str(denied.detail.get("replaced_by", ""))
        found = await self._look(by) if by else None
        waited = None if found is None else await self.follow(replace(call, approved=None), by)
        return None if waited is None else replace(waited, replaced=True)

    async def explain(self, actions: Sequence[str], told: str) -> None:
        """Remember what an agent is to be told of calls that will never be made."""
        until = self.book.clock() + KEPT
        for action in actions:
            row = Kept(owner=action, name=TOLD, value=told.encode(), expires_at=until)
            await asyncio.to_thread(self.vault.put, row)

    async def forget(self, call: HostCall) -> None:
        """Its host has heard what became of it: nobody can change it any more. Of a host without
        ids, the next call with the same arguments is another one."""
        known = _by_id(call) if call.id else call
        await asyncio.to_thread(self.vault.expire, self._name(known), at=self.book.clock())

    async def _find_decided(self, call: HostCall, action: str) -> Action | None:
        """What became of it; where its host has a person's word, with that."""
        found = await self._look(action)
        if found is not None and found.state is State.HELD and call.approved is not None:
            await asyncio.to_thread(self._decide, call, found)
            found = await self._look(action)
        for _ in range(LOOKS):
            if found is None or found.state is not State.INTENT:
                break
            # Another process was quicker; what it gets is the result.
            await asyncio.sleep(PAUSE)
            found = await self._look(action)
        return found

    def _decide(self, call: HostCall, action: Action) -> None:
        try:
            if call.approved:
                self.decide().approve(action.id, by=_BY)
            else:
                self.decide().deny(action.id, by=_BY, note=call.reason)
        except ConfigurationError:
            # It was decided elsewhere between the look and the word, or its time is up.
            return

    async def _look(self, action: str) -> Action | None:
        return await asyncio.to_thread(self.book.journal.find_action, action)

    async def _deny(self, call: HostCall, action: Action) -> HeldError:
        """Why it will never be made: a person has said so, or what it was done with was wrong."""
        note = str(action.detail.get("note", ""))
        end = _DENIED if action.detail.get("by") else _UNWANTED
        if action.detail.get("replaced_by"):
            end = f"{_REPLACED} As it was, it was not run."
        elif note:
            end = f"{end} They said: {note}"
        told = await asyncio.to_thread(self.vault.get, action.id, TOLD)
        text = f"{call.tool}: {end}" if told is None else f"{call.tool}: {end}\n\n{told.decode()}"
        return HeldError(text, action=action.id, decided=True)

    def _refuse(self, call: HostCall, action: Action) -> HeldError:
        if action.state is State.HELD:
            hold = Hold(
                action=action.id,
                expires_at=find_expiry(action.detail, changed_at=action.changed_at),
                reason=str(action.detail.get("why", "")),
            )
            text = str(Held(hold, tool=call.tool))
            return HeldError(text, action=action.id, why=hold.reason)
        end = _ENDS.get(action.state, f"It is {action.state}: it is not run now. Ask the person.")
        return HeldError(f"{call.tool}: {end}", action=action.id, decided=True)

    def _name(self, call: HostCall) -> str:
        given = dict(call.arguments)
        said = (encode_exact(given) or repr(given).encode()).decode()
        text = "\0".join((self.whose, call.server, call.tool, call.id, said))
        return f"host {hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:32]}"


def _by_id(call: HostCall) -> HostCall:
    # Some models number their calls anew in every message: the id alone may be another tool's.
    return replace(call, tool=f"{LAST} of {call.tool}", arguments={})
