"""Tools that a host brings and makes, and calls of a host that await approval."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import encode_exact
from mulligan.learning.closeness import find_typo
from mulligan.runtime.context import OpenTurn, carry, read_context
from mulligan.runtime.declaration import Declared, hide_names, read_declaration, ungroup
from mulligan.runtime.hold import Held
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.outside_calls import Identity
from mulligan.runtime.payloads import load_edited
from mulligan.runtime.tool import Runtime, Tool
from mulligan.runtime.toolbox import Toolbox
from mulligan.runtime.wrapper import find_wrapped, wrap_tool
from mulligan.types.action import HOLDS, Action, Hold, Kept, State, find_expiry
from mulligan.types.adapter import HostCall
from mulligan.types.effect import Effect, Mode
from mulligan.types.errors import ConfigurationError, HeldError, JournalError, NothingDone
from mulligan.types.interfaces import Vault
from mulligan.types.turn import CallKey

_report = logging.getLogger("mulligan")

Hosted = Callable[..., Awaitable[object]]
"""A tool of a host, wrapped: what it does is what its host makes of the call."""

ANYTHING: Mapping[str, object] = {"type": "object"}
"""The schema of a tool whose host says nothing of its arguments."""


MOST_OUTCOMES = 10_000
"""Calls whose outcome is remembered for later messages of their conversations."""


class HostedTools:
    """The tools of an application that its hosts make."""

    def __init__(self, *, runtime: Runtime, box: Toolbox) -> None:
        self._runtime = runtime
        self._box = box
        self._wrapped: dict[Identity, Hosted] = {}
        self._said: dict[Identity, dict[str, Any]] = {}
        self._schemas: dict[Identity, Mapping[str, object]] = {}
        """As hosts have shown them last."""
        self._reported: dict[Identity, tuple[Mapping[str, object], Hosted]] = {}
        """Tools that are known by reports of clients alone, each with its schema."""
        self._unheard: set[Identity] = set()
        """Of what was declared, that which no host has brought yet."""
        self._warned: set[str] = set()
        self.outcomes: dict[CallKey, bool] = {}
        """Whether calls of earlier runs stand, or were undone: their hosts may still have them in a
        conversation."""

    def note_outcomes(self, calls: Iterable[CallKey], *, stands: bool) -> None:
        """The results of some calls; the oldest are forgotten."""
        self.outcomes.update(dict.fromkeys(calls, stands))
        for oldest in list(self.outcomes)[: max(0, len(self.outcomes) - MOST_OUTCOMES)]:
            del self.outcomes[oldest]

    def declare(self, name: str, declared: Declared) -> None:
        """Say what a tool does that is brought by a host."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"{name!r} is no name of a tool, such as 'send_email'.")
        key, said = (declared.get("server", ""), name), ungroup(declared)
        self._wrapped[key] = self._wrap(name, said)
        self._said[key] = said
        self._unheard.add(key)

    def find(self, call: HostCall) -> Hosted | None:
        """The tool of a call; `None` where one of the application's own is inside, whose calls are
        its own to log and to journal."""
        if self._find_own(call):
            return None
        key = self._locate(call)
        found = self._wrapped.get(key)
        if call.reported:
            return found or self._find_reported(key, call)
        if found is not None and self._schemas.get(key) == call.schema:
            return found
        self._note_came(key)
        said = {**self._said.get(key, {}), "server": key[0]}
        if call.schema:
            said.setdefault("schema", call.schema)
        if call.description:
            said.setdefault("docs", call.description)
        self._schemas[key] = call.schema
        self._wrapped[key] = self._wrap(call.tool, said)
        return self._wrapped[key]

    def _find_reported(self, key: Identity, call: HostCall) -> Hosted:
        """A tool that was neither brought nor declared here: its calls are logged and reviewed."""
        schema, found = self._reported.get(key, (None, None))
        if found is None or schema != call.schema:
            said = {"server": key[0], "mode": Mode.SUGGEST, "schema": call.schema or ANYTHING}
            reads = self._runtime.reads_only.get(call.tool, False)
            # It has run: there is nothing to hold, however strict the application is.
            found = self._wrap(call.tool, said, replace(self._runtime, strict=False))
            # One that is declared under this name elsewhere is what it was.
            self._runtime.reads_only[call.tool] = reads
            self._reported[key] = call.schema, found
        return found

    def _note_came(self, key: Identity) -> None:
        """A declaration whose tool never comes has no effect, and that would go unnoticed."""
        if key in self._said:
            self._unheard.discard(key)
            return
        server, tool = key
        elsewhere = [each for each, name in self._unheard if name == tool]
        if elsewhere and server:
            self._warn_once(
                f"{tool} is declared for the server {elsewhere[0]!r}, and its host calls it on "
                f"{server!r}, so the declaration has no effect. Declare it for that one, or "
                "without server=…."
            )
        near = find_typo(tool, [name for _, name in self._unheard])
        if near is not None and not elsewhere:
            self._warn_once(
                f"{near} is declared, and no host has brought a tool of that name; {tool} is "
                "called and not declared. If they are the same, fix the name in "
                f"m.declare({near!r}, …)."
            )

    def find_tool(self, call: HostCall) -> Tool | None:
        """The same as its calls know it, also of one that the application has decorated; `None` of
        one that is only reported."""
        own = self._find_own(call)
        if own:
            return next((tool for tool in own if tool.reach.has_effect), own[0])
        return find_wrapped(self._wrapped.get(self._locate(call)))

    @contextmanager
    def expect(self, call: HostCall, *, turn: OpenTurn) -> Iterator[None]:
        """In here a host makes a call that enters one of the application's own tools."""
        own = self._find_own(call)
        counts = [tool.traffic.find(turn.labels.tenant) for tool in own]
        before = [count.calls for count in counts]
        names = [(tool.declaration.server, tool.declaration.tool) for tool in own]
        with self._runtime.host_calls.expect(names, call.arguments, turn=turn):
            yield
        if find_wrapped(call.function) is None and [each.calls for each in counts] == before:
            own[0].warn_once(
                f"A host has called another {call.tool} than the tool that is declared here as "
                f"{own[0].definition}, so the call is not recorded. Give one of them another "
                f"name, or say what the host's does: m.declare({call.tool!r}, server=…)."
            )

    def _find_own(self, call: HostCall) -> Sequence[Tool]:
        """The application's own tool that a host's call enters, by the function that the host
        calls. Where that cannot be seen, or is a user's function around it, those of the name:
        which one it is shows when it is entered."""
        seen = find_wrapped(call.function)
        if seen is not None and seen.runtime is self._runtime:
            return [seen]
        if self._locate(call) in self._said:
            return []
        own = [tool for tool in self._box.list_named(call.tool) if not tool.hosted]
        near = [tool for tool in own if tool.declaration.server in (call.server, "")]
        return near if near or call.remote else own

    def _locate(self, call: HostCall) -> Identity:
        """What a tool is known by that a host brings: its server and name, unless it was said of
        the name alone, or of one server where the host tells of none."""
        keys = [(call.server, call.tool), ("", call.tool)]
        if not call.server:
            named = [key for key in self._said if key[1] == call.tool]
            keys += named if len(named) == 1 else []
            if len(named) > 1 and keys[0] not in named:
                self._warn_once(
                    f"{call.tool} is declared for several servers, and its host does not say "
                    "which of them it calls, so the declaration has no effect. Declare it "
                    "without server=…, or give the host tools that @m.tool has decorated."
                )
        return next((key for key in keys if key in self._said), keys[0])

    def is_declared(self, tool: str) -> bool:
        """Whether something was said of a tool by its name, wherever it lives."""
        return any(name == tool for _, name in self._said)

    def may_hold(self, call: HostCall) -> bool:
        """Whether calls that a host makes may be held; of one of the application's own functions
        the decorator knows, once it is entered."""
        found = self.find_tool(call)
        if found is None:
            return self._runtime.strict
        said = found.declaration
        always_undone = said.effect is Effect.REVERSIBLE and said.effect_of is None
        return found.hosted and found.reach.has_effect and not always_undone

    def _wrap(self, name: str, said: Mapping[str, Any], runtime: Runtime | None = None) -> Hosted:
        # Whatever its arguments are, they are not those of our function.
        function, named = _build_function(name), {"schema": ANYTHING, **said, "name": name}
        hide = self._runtime.redactor.hide
        declaration = hide_names(read_declaration(function, named), hide=hide)
        runtime = runtime or self._runtime
        return wrap_tool(function, declaration=declaration, runtime=runtime, box=self._box)

    def _warn_once(self, what: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            _report.warning("%s", what)


def _build_function(name: str) -> Callable[..., Awaitable[Any]]:
    """A function of that name, which closes over nothing: the tool is the same in all processes."""

    async def call_host(**arguments: object) -> object:
        context = read_context()
        host = context.in_host
        if host is None:
            raise NothingDone(
                "It is made by its host, and no run of that goes on here. Let the run go on there."
            )
        # What is called inside is not made in the same way.
        with carry(context._replace(in_host=None)):
            await _check(host, arguments)
            return await host.make(arguments)

    async def check_first(arguments: Mapping[str, object]) -> None:
        host = read_context().in_host
        if host is not None:
            await _check(host, arguments)

    call_host.__name__ = call_host.__qualname__ = name
    call_host.made_by_host = True  # type: ignore[attr-defined]
    call_host.check_first = check_first  # type: ignore[attr-defined]
    return call_host


async def _check(host: HostCall, arguments: Mapping[str, object]) -> None:
    """Refuse what the tool does not take: it was not entered, which its own errors cannot prove."""
    if host.check is None:
        return
    try:
        await host.check(arguments)
    except NothingDone:
        raise
    except Exception as error:
        raise NothingDone(str(error)) from error


KEPT = timedelta(days=1)
"""How long after the end of a hold its host may still ask for its result."""

PAUSE = 0.05
"""Seconds between one look and the next at a call that another process is making."""
LOOKS = 600

NAME = "hold"
TOLD = "told"
LAST = "last hold"
"""The same whatever its arguments are, as a person may have given it others."""

_BY = "a person, through the host"
_DONE = (State.VERIFIED, State.EXECUTED, State.PENDING_REVIEW, State.UNCHECKED)
_DENIED = "A person denied it, and it was not run. Do not call it again."
_REPLACED = "A person approved it with other arguments."
_UNWANTED = "It was not run, because a problem was found in its attempt."
_ENDS = {
    State.EXPIRED: "It was not approved in time, and was not run. Ask the person.",
    State.INTENT: "It was approved and is running now. Do not call it again.",
    State.NOT_EXECUTED: "It was approved and tried, and nothing was done.",
}


class Decides(Protocol):
    """How a person's decision is recorded, on any surface."""

    def approve(self, id_or_prefix: str, *, by: str) -> Action:
        """Let a held call run."""

    def deny(self, id_or_prefix: str, *, by: str, note: str = "", replaced_by: str = "") -> Action:
        """Never run a held call, or another one in its place."""


class Waited(Struct, frozen=True, kw_only=True):
    """A call that was held before: it may be made now, or was made by another process."""

    action: LiveAction
    made: bool
    """Its result is that of the action."""
    replaced: bool = False
    """A person has changed the call, or put another one in its place: it is that of the action."""


class HostHolds(Struct, frozen=True, kw_only=True):
    """The held calls of one run, by the host's own ids."""

    book: JournalWriter
    toolbox: Toolbox
    vault: Vault
    decide: Callable[[], Decides]
    hold_again: Callable[[Action], Awaitable[bool]]
    """Whether what a person has changed of an approved call is refused here: it is held again."""
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
        if action.state is State.APPROVED and await self.hold_again(action):
            raise self._refuse(call, await self._look(action.id) or action)
        if action.state not in (*HOLDS, State.INTENT):
            await self.forget(call)
        if action.state in _DONE or action.state is State.APPROVED:
            live = await asyncio.to_thread(self.toolbox.take_up, action, self.vault)
            edited = await asyncio.to_thread(load_edited, self.vault, action.id)
            if live is not None:
                made = action.state is not State.APPROVED
                return Waited(action=live, made=made, replaced=edited is not None)
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
            # It was decided elsewhere: it was made as it was held, or never will be.
            raise self._refuse(call, await self._look(found.id) or found) from None
        return {} if held is None else held.record.arguments

    async def _require_fit(self, call: HostCall, held: Action) -> None:
        """What the tool does not take is no decision: the call waits as it was."""
        try:
            if call.check is not None:
                await call.check(call.arguments)
        except Exception as error:
            told = (
                f"{call.tool} does not accept the changed arguments, and is still awaiting "
                f"approval as it was: {error}"
            )
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
        """Its host has heard its result: it can no longer change. Of a host without ids, the next
        call with the same arguments is another one."""
        known = _by_id(call) if call.id else call
        await asyncio.to_thread(self.vault.expire, self._name(known), at=self.book.clock())

    async def _find_decided(self, call: HostCall, action: str) -> Action | None:
        """Its result; where its host has a person's decision, with that."""
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
