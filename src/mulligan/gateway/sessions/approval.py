"""A held call put before the person by way of their client, where that can ask them."""

from __future__ import annotations

import asyncio
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.core.display.escape import show_name
from mulligan.core.display.quoted import cut
from mulligan.core.errors import HeldError, MulliganError
from mulligan.gateway.protocol.frames import Frame, read_object
from mulligan.gateway.sessions.ends import Ends
from mulligan.gateway.sessions.questions import QuestionedCall
from mulligan.gateway.sessions.server_call import (
    APPROVAL,
    AskedCall,
    read_approval,
    write_question,
)

ELICITATION, METHOD = "elicitation", "elicitation/create"
LONGEST, MOST = 4_000, 40_000
"""Bytes of one argument in a question, and of all of it; what is longer is cut and says so."""
SCHEMA = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "May it be done?", "default": False}},
    "required": ["approve"],
}


class Approval:
    """Asks the person of one client."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    async def ask(self, held: HeldError, asked: AskedCall) -> bool | None:
        """What the person says now; `None`: they cannot be asked, or have not said."""
        if held.decided or not self._may_ask(asked) or asked.is_modern:
            return None
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()

        def take(frame: Frame) -> None:
            if not answer.done():
                answer.set_result(frame)

        question = await asyncio.to_thread(self._build_question, held)
        if question is None:
            return None
        name = self._ends.client.ask(METHOD, encode_json(question), on_answer=take)
        try:
            frame = await answer
        except asyncio.CancelledError:
            self._ends.client.cancel(name, reason="Nobody waits for it any more.")
            self._ends.client.forget(name)
            raise
        return read_approval(read_object(frame.result))

    def ask_later(self, held: HeldError, asked: AskedCall) -> bytes | None:
        """A result that asks the person, in revisions in which a client asks again with the answer.

        `None`: they cannot be asked so.
        """
        if held.decided or not self._may_ask(asked) or not asked.is_modern:
            return None
        params = self._build_question(held)
        if params is None:
            return None
        return encode_json(
            {
                "resultType": "input_required",
                "inputRequests": {APPROVAL: {"method": METHOD, "params": params}},
                "requestState": write_question(self._ends.shared.questions.ask(self._name(asked))),
            }
        )

    def take_answer(self, asked: AskedCall) -> None:
        """Forget what a call says a person has said, unless we had them asked about it."""
        if not self._ends.shared.questions.take_answer(asked.question, self._name(asked)):
            asked.approved = None

    def _name(self, asked: AskedCall) -> QuestionedCall:
        return QuestionedCall(
            principal=self._ends.principal, tool=asked.name, arguments=asked.arguments
        )

    def _may_ask(self, asked: AskedCall) -> bool:
        """Whether the client's word that a person has said yes counts, and it can ask one."""
        trusted = self._ends.shared.vouches_for(self._ends.principal)
        can = self._ends.has_capability(ELICITATION, asked.meta)
        return trusted and can and asked.approved is None

    def _build_question(self, held: HeldError) -> dict[str, Any] | None:
        """The whole call, less secrets, as who decides sees it elsewhere; `None`: it is gone."""
        open_list = self._ends.shared.insights.open_list.show_people()
        try:
            action = open_list.find(held.action)
            what, given = open_list.describe(action), open_list.read_arguments(action)
        except MulliganError:
            return None
        opening = action.opening
        lines = [
            f"May this be done? It cannot be undone, or nobody has said that it can: {what}",
            f"{show_name(opening.tool)} of {show_name(opening.server)} is called with:",
            *(f"- {_show(name)}: {_show(value)}" for name, value in given.items()),
        ]
        message = cut("\n".join(lines), most=MOST)
        return {"mode": "form", "message": message, "requestedSchema": SCHEMA}


def _show(value: object) -> str:
    """A value on one line, with marks around a text; one that is cut says how long it was."""
    return cut(encode_json(value).decode(errors="replace"), most=LONGEST)
