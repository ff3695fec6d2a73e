"""A call that is asked about before it is made: held now, if it is one to be held."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.effect import Precheck
from mulligan.core.finding import Severity
from mulligan.turns.calls.journaled import JournaledCall
from mulligan.turns.calls.live import LiveCall, begin_call
from mulligan.turns.calls.outcome import build_proposal
from mulligan.turns.calls.precheck import find_misfit, foresee, plan_call
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.hold import Held
from mulligan.turns.journal.waiter import ON_LOOP
from mulligan.turns.turn.context import OpenTurn


async def hold_ahead(tool: Tool, arguments: Mapping[str, object], *, turn: OpenTurn) -> Held | None:
    """Hold a call of the current turn; `None` where it is to be made, which may also refuse it."""
    call = begin_call(tool, ((), dict(arguments)), waiter=ON_LOOP)
    if await find_misfit(call) is not None or _is_refused(call, turn):
        return None
    return await JournaledCall(call=call, turn=turn, attempt=turn.attempt).hold_ahead()


def _is_refused(call: LiveCall, turn: OpenTurn) -> bool:
    """Whether nobody needs to be asked: by what is known, the call is not made at all."""
    tool = call.tool
    if tool.declaration.precheck is not Precheck.REFUSE:
        return False
    planned = plan_call(tool, build_proposal(call).call, turn=turn)
    return any(each.severity is Severity.ERROR for each in foresee(tool, planned))
