"""Calls of the gateway's own tools: each shows a client its own calls only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from mulligan.redaction.redactor import hide_secrets
from mulligan.types.action import SETTLED, Action, ActionQuery, By, State, leads_to
from mulligan.types.display import Quoted, show_name
from mulligan.types.effect import Effect
from mulligan.types.errors import MulliganError
from mulligan_gateway.shared_state import MOST_ACTIONS, OwnRecord, Shared
from mulligan_gateway.tools import (
    OWN_TOOLS,
    PITFALLS,
    SEARCH,
    STATUS,
    UNDO,
    WHY,
    Names,
    build_result,
)
from mulligan_gateway.upstream import Upstream

MOST_TOKENS = 400
"""Of what is known to go wrong."""
UNKNOWN = f"There is no such action of yours. {STATUS} without an id lists yours."
SHORTEST = 12
"""Characters of an id that are enough to find what a client did before the gateway was started."""
_SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in OWN_TOOLS}
_NEXT = {
    State.HELD: " It is awaiting approval.",
    State.APPROVED: " It is approved: call it once more with the same arguments.",
}
_WAITING = frozenset(_NEXT)


class OwnCalls:
    """What one client did through the gateway, and its questions about it."""

    def __init__(
        self,
        shared: Shared,
        *,
        principal: str,
        names: Names,
        upstreams: Mapping[str, Upstream],
    ) -> None:
        self._shared = shared
        self._principal = principal
        self._names = names
        self._upstreams = upstreams

    @property
    def record(self) -> OwnRecord:
        """What the client did, also over earlier connections."""
        return self._shared.own_records[self._principal]

    async def answer(
        self, name: str, arguments: Mapping[str, object], *, by: str, modern: bool
    ) -> bytes:
        """The result of a call of one of the gateway's own tools."""
        if wrong := _find_wrong(name, arguments):
            return build_result(f"{wrong} Nothing was done.", failed=True, modern=modern)
        named = str(next(iter(arguments.values()), None) or "")
        try:
            if name == WHY:
                said = await asyncio.to_thread(self._explain, named)
            elif name == PITFALLS:
                found = await asyncio.to_thread(self._find_pitfalls, named)
                said = found or "Nothing is known to go wrong."
            elif name == SEARCH:
                found = await asyncio.to_thread(self._find_pitfalls, words=named)
                said = found or "Nothing is known of that."
            elif name == UNDO:
                said = await self._undo(named, by=by)
            else:
                said = await asyncio.to_thread(self._tell_status, named, by)
        except MulliganError as error:
            return build_result(str(error), failed=True, modern=modern)
        return build_result(said, failed=said == UNKNOWN, modern=modern)

    def _find_pitfalls(self, named: str = "", *, words: str = "") -> str:
        """What is known to go wrong with a tool, or with all that the client may call."""
        grant = self._shared.find_grant(self._principal)
        server, tool = self._names.resolve(named) or ("", named)
        if named and not grant.allows(server, tool):
            return ""
        return self._shared.insights.lesson_list.describe_pitfalls(
            (tool,) if named else (),
            words=words,
            tokens=MOST_TOKENS,
            allows=grant.allows if grant.tools else None,
        )

    def _explain(self, named: str) -> str:
        find, (server, tool) = self._find_pitfalls, self._names.resolve(named) or ("", named)
        fitting = [
            (call, words)
            for call, words in self.record.failed
            if not named or (call.server, call.tool) == (server, tool)
        ]
        if not fitting and not named:
            return "None of your calls has failed here."
        if not fitting:
            told = ["No call of yours of that tool has failed here.", find(named)]
        else:
            call, words = fitting[-1]
            advice, _, _ = self._shared.insights.suggest(
                call.tool, server=call.server, arguments=call.arguments, error=words
            )
            said = hide_secrets(words, call.arguments)
            why = f"{show_name(call.tool)} failed. {Quoted(said, 'the server')}"
            exposed = self._names.name_for_clients(call.server, call.tool)
            told = [why, f"Advice: {advice.why}", find(exposed)]
        return "\n\n".join(filter(None, told))

    def _list_own(self, by: str) -> list[Action]:
        """The client's own actions, the latest first: as they are remembered, and from before the
        gateway was started what the store says is theirs. Of one without a token that is only what
        waits, as others may have its name; of one with a token, what waits under any name."""
        open_list, principal = self._shared.insights.open_list, self._principal
        found = {each: open_list.find(each) for each in self.record.actions}
        kept = self._shared.keeps_label(by)
        if principal and kept:
            query = ActionQuery(agent=by, limit=MOST_ACTIONS)
            found |= {each.id: each for each in open_list.search(query)}
        for each in open_list.search(ActionQuery(states=_WAITING, limit=MOST_ACTIONS)):
            agent, server = each.opening.agent, each.opening.server
            its = (kept and agent == by) or (principal and agent.startswith(f"{principal}/"))
            if its and server in self._upstreams:
                found[each.id] = each
        return sorted(found.values(), key=lambda each: each.opened_at, reverse=True)

    def _find_own(self, id_or_prefix: str, by: str) -> Action | None:
        """One of the client's own actions; those of others are unknown here."""
        wanted = id_or_prefix.replace("-", "").lower()
        near = [each for each in self._list_own(by) if wanted and each.id.startswith(wanted)]
        if not near and len(wanted) >= SHORTEST and self._shared.keeps_label(by):
            query = ActionQuery(id_prefix=wanted, agent=by)
            near = self._shared.insights.open_list.search(query)
        return near[0] if len(near) == 1 else None

    def _describe_own(self, by: str, *, undoable: bool = False) -> list[str]:
        """What the client did, the latest first; `undoable`: only what can be undone."""
        return [
            self._describe(each)
            for each in self._list_own(by)
            if not undoable
            or (
                leads_to(each.state, State.UNDOING, by=By.PERSON)
                and each.opening.effect is Effect.REVERSIBLE
            )
        ]

    def _tell_status(self, named: str, by: str) -> str:
        if named:
            found = self._find_own(named, by)
            return UNKNOWN if found is None else self._describe(found)
        lines = self._describe_own(by)
        changed = self._shared.pins.list_changed()
        lines += [
            f"{show_name(item.name)} of {item.server} has changed since it was approved."
            for item in changed
        ]
        lines += [hide_secrets(why) for each in self._upstreams.values() if (why := each.missing)]
        since = "" if self._principal else " since the gateway was started"
        nothing = f"Nothing of yours awaits approval, and nothing is on record{since}."
        return "\n".join(lines) or nothing

    def _describe(self, action: Action) -> str:
        what = self._shared.insights.open_list.describe(action)
        why = "" if action.state in SETTLED else f". {action.detail.get('why', '')}"
        return f"{action.id}: {action.state}. {what}{_NEXT.get(action.state, why)}"

    async def _undo(self, named: str, *, by: str) -> str:
        if not named:
            lines = await asyncio.to_thread(self._describe_own, by, undoable=True)
            return "\n".join(lines) or "Nothing that you did here can be undone."
        found = await asyncio.to_thread(self._find_own, named, by)
        if found is None:
            return UNKNOWN
        open_list = self._shared.insights.open_list
        who = f"its agent {by}".strip()
        await asyncio.to_thread(open_list.undo, found.id, by=who)
        await self._shared.m.recover()
        return self._describe(await asyncio.to_thread(open_list.find, found.id))


def _find_wrong(name: str, arguments: Mapping[str, object]) -> str:
    """What is wrong with the arguments of one of the gateway's own tools; empty: nothing."""
    schema = _SCHEMAS[name]
    known = " and ".join(sorted(schema["properties"]))
    if unknown := sorted(set(arguments) - set(schema["properties"])):
        return f"{name} takes no {show_name(unknown[0])!r}, only {known}."
    if any(not isinstance(value, str) for value in arguments.values()):
        return f"{name} takes {known} as a text."
    missing = [each for each in schema.get("required", ()) if not arguments.get(each)]
    return f"{name} needs {missing[0]}." if missing else ""
