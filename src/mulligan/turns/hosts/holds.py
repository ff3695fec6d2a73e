"""Calls of a host that wait for a person: found again when its run goes on, in any process."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from mulligan.codec.exact import encode_exact
from mulligan.core.action import HOLDS, Action, Hold, Kept, State, find_expiry
from mulligan.core.adapter import HostCall
from mulligan.core.errors import ConfigurationError, HeldError
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
"""The same of a call whatever its arguments are, as a person may have given it others."""

_DONE = (State.VERIFIED, State.EXECUTED, State.PENDING_REVIEW, State.UNCHECKED)
_DENIED = "A person has denied it, and it was not run. Do not call it again."
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

    def deny(self, id_or_prefix: str, *, by: str, note: str = "") -> Action:
        """Never run a held call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """A call that was held before: it may be made now, or was made by somebody else."""

    action: LiveAction
    made: bool
    """Its result is that of the action."""


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
            last = replace(row, owner=self._name(replace(call, arguments={})), name=LAST)
            await asyncio.to_thread(self.vault.put, last)

    async def keep_again(self, call: HostCall, action: Action) -> None:
        """The same of a hold that is on record, and whose process died before it was remembered."""
        until = find_expiry(action.detail, changed_at=action.changed_at)
        await self.keep(call, Hold(action=action.id, expires_at=until, reason=""))

    async def find(self, call: HostCall) -> Waited | None:
        """The call as it was held before; `HeldError` while it may not be made, or never."""
        kept = await asyncio.to_thread(self.vault.get, self._name(call), NAME)
        if kept is None:
            if call.id and call.approved:
                await self._replace(call)
            return None
        return await self.follow(call, kept.decode())

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
            raise await self._deny(call, action)
        raise self._refuse(call, action)

    async def explain(self, actions: Sequence[str], told: str) -> None:
        """Remember what an agent is to be told of calls that will never be made."""
        until = self.book.clock() + KEPT
        for action in actions:
            row = Kept(owner=action, name=TOLD, value=told.encode(), expires_at=until)
            await asyncio.to_thread(self.vault.put, row)

    async def forget(self, call: HostCall) -> None:
        """Of a host without ids, the next call with the same arguments is another one."""
        if not call.id:
            await asyncio.to_thread(self.vault.expire, self._name(call), at=self.book.clock())

    async def _replace(self, call: HostCall) -> None:
        """A person has approved the call with other arguments: as it was held, it never runs."""
        owner = self._name(replace(call, arguments={}))
        kept = await asyncio.to_thread(self.vault.get, owner, LAST)
        found = None if kept is None else await self._look(kept.decode())
        if found is not None and found.state is State.HELD:
            await asyncio.to_thread(self._decide, replace(call, approved=False), found)

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
                self.decide().approve(action.id, by="a person, through the host")
            else:
                self.decide().deny(action.id, by="a person, through the host")
        except ConfigurationError:
            # It was decided elsewhere between the look and the word, or its time is up.
            return

    async def _look(self, action: str) -> Action | None:
        return await asyncio.to_thread(self.book.journal.find_action, action)

    async def _deny(self, call: HostCall, action: Action) -> HeldError:
        """Why it will never be made: a person has said so, or what it was done with was wrong."""
        end = _DENIED if action.detail.get("by") else _UNWANTED
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
            return HeldError(str(Held(hold, tool=call.tool)), action=action.id)
        end = _ENDS.get(action.state, f"It is {action.state}: it is not run now. Ask the person.")
        return HeldError(f"{call.tool}: {end}", action=action.id, decided=True)

    def _name(self, call: HostCall) -> str:
        given = dict(call.arguments)
        said = (encode_exact(given) or repr(given).encode()).decode()
        text = "\0".join((self.whose, call.server, call.tool, call.id, said))
        return f"host {hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:32]}"
