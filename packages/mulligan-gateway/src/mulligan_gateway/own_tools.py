"""Calls of the gateway's own tools: each shows a client its own calls only."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Mapping

from mulligan.redaction.redactor import hide_secrets
from mulligan.types.action import Action, By, State, leads_to
from mulligan.types.adapter import HostCall
from mulligan.types.display import Quoted, show_name
from mulligan.types.effect import Effect
from mulligan.types.errors import MulliganError
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tools import PITFALLS, UNDO, WHY, build_result

MOST_KEPT = 1_000
"""Actions and turns of a client that are remembered."""
MOST_FAILURES = 20
UNKNOWN = "There is no such action of yours."
_NEXT = {
    State.HELD: " It is awaiting approval.",
    State.APPROVED: " It is approved: call it once more with the same arguments.",
}


class OwnCalls:
    """What one client did through the gateway, and its questions about it."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._failed: deque[tuple[HostCall, str]] = deque(maxlen=MOST_FAILURES)
        """With what the server said."""
        self._actions: OrderedDict[str, None] = OrderedDict()

    def note_failure(self, call: HostCall, said: str) -> None:
        """A call of the client has failed."""
        self._failed.append((call, said))

    def note_actions(self, actions: tuple[str, ...]) -> None:
        """The client did something that is on record, or it waits."""
        for action in actions:
            self._actions[action] = None
        while len(self._actions) > MOST_KEPT:
            self._actions.popitem(last=False)

    async def answer(
        self, name: str, arguments: Mapping[str, object], *, by: str, modern: bool
    ) -> bytes:
        """The result of a call of one of the gateway's own tools."""
        named = str(arguments.get("tool") or arguments.get("action") or "")
        try:
            if name == WHY:
                said = await asyncio.to_thread(self._explain, named)
            elif name == PITFALLS:
                found = await asyncio.to_thread(self._shared.m.pitfalls, named or None)
                said = found or "Nothing is known to go wrong."
            elif name == UNDO:
                said = await self._undo(named, by=by)
            else:
                said = await asyncio.to_thread(self._tell_status, named)
        except MulliganError as error:
            return build_result(str(error), failed=True, modern=modern)
        return build_result(said, failed=said == UNKNOWN, modern=modern)

    def _explain(self, tool: str) -> str:
        find = self._shared.m.pitfalls
        fitting = [each for each in self._failed if not tool or each[0].tool == tool]
        if not fitting and not tool:
            return "None of your calls has failed here."
        if not fitting:
            told = ["No call of yours of that tool has failed here.", find(tool)]
        else:
            call, words = fitting[-1]
            advice, _, _ = self._shared.insights.suggest(
                call.tool, server=call.server, arguments=call.arguments, error=words
            )
            said = hide_secrets(words, call.arguments)
            why = f"{show_name(call.tool)} failed. {Quoted(said, 'the server')}"
            told = [why, f"Advice: {advice.why}", find(call.tool)]
        return "\n\n".join(filter(None, told))

    def _find_own(self, id_or_prefix: str) -> Action | None:
        """One of the client's own actions; those of others are unknown here."""
        wanted = id_or_prefix.replace("-", "").lower()
        near = [each for each in self._actions if wanted and each.startswith(wanted)]
        return self._shared.insights.open_list.find(near[0]) if len(near) == 1 else None

    def _describe_own(self, *, undoable: bool = False) -> list[str]:
        """What the client did, the latest first; `undoable`: only what can be undone."""
        found = map(self._shared.insights.open_list.find, reversed(self._actions))
        return [
            self._describe(each)
            for each in found
            if not undoable
            or (
                leads_to(each.state, State.UNDOING, by=By.PERSON)
                and each.opening.effect is Effect.REVERSIBLE
            )
        ]

    def _tell_status(self, named: str) -> str:
        if named:
            found = self._find_own(named)
            return UNKNOWN if found is None else self._describe(found)
        lines = self._describe_own()
        changed = self._shared.pins.list_changed()
        lines += [
            f"{show_name(item.name)} of {item.server} has changed since it was approved."
            for item in changed
        ]
        return "\n".join(lines) or "Nothing of yours awaits approval, and nothing is on record."

    def _describe(self, action: Action) -> str:
        what = self._shared.insights.open_list.describe(action)
        return f"{action.id}: {action.state}. {what}{_NEXT.get(action.state, '')}"

    async def _undo(self, named: str, *, by: str) -> str:
        if not named:
            lines = await asyncio.to_thread(self._describe_own, undoable=True)
            return "\n".join(lines) or "Nothing that you did here can be undone."
        found = await asyncio.to_thread(self._find_own, named)
        if found is None:
            return UNKNOWN
        open_list = self._shared.insights.open_list
        who = f"its agent {by}".strip()
        await asyncio.to_thread(open_list.undo, found.id, by=who)
        await self._shared.m.recover()
        return self._describe(await asyncio.to_thread(open_list.find, found.id))
