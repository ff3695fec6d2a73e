"""Calls of tools: each is brought to Mulligan before its server gets it, and after it answered.

A held call is shown to the person by their client, if it can ask for approval.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from difflib import get_close_matches
from typing import Any

from msgspec.structs import replace

from mulligan.codec import encode_json
from mulligan.types.adapter import Called, HostCall, HostRun
from mulligan.types.display import cut, show_name
from mulligan.types.effect import Mode
from mulligan.types.errors import HeldError, MulliganError
from mulligan.types.turn import Entry, Speaker, Utterance
from mulligan_gateway.peers import (
    APPROVAL,
    CONTEXT,
    DONE,
    TURN,
    AskedCall,
    ClientTurn,
    Ends,
    InputRequested,
    UpstreamCall,
    read_approval,
    read_call,
)
from mulligan_gateway.protocol import (
    BAD_PARAMS,
    CAPABILITIES,
    META,
    STATE,
    Frame,
    read_object,
    write_answer,
    write_error,
    write_result,
)
from mulligan_gateway.shared_state import name_call
from mulligan_gateway.tool_list import Lists
from mulligan_gateway.tools import OWN_TOOLS, SEPARATOR, STATUS, add_notes, build_result
from mulligan_gateway.upstream import ServerDownError

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
        if asked.is_modern or not self._may_ask(held, asked):
            return None
        question = await asyncio.to_thread(self._build_question, held)
        if question is None:
            return None
        answer = await self._ends.client.ask_and_wait(METHOD, encode_json(question))
        return read_approval(read_object(answer.result))

    def ask_later(self, held: HeldError, asked: AskedCall) -> bytes | None:
        """A result that asks the person, in revisions in which a client asks again with the answer.

        `None`: they cannot be asked so.
        """
        if not asked.is_modern or not self._may_ask(held, asked):
            return None
        params = self._build_question(held)
        if params is None:
            return None
        return encode_json(
            {
                "resultType": "input_required",
                "inputRequests": {APPROVAL: {"method": METHOD, "params": params}},
                STATE: f"{APPROVAL}.{self._ends.shared.questions.ask(self._name(asked))}",
            }
        )

    def take_answer(self, asked: AskedCall) -> None:
        """Forget what a call says a person has said, unless we had them asked about it."""
        if not self._ends.shared.questions.take_answer(asked.question, self._name(asked)):
            asked.approved = None

    def _name(self, asked: AskedCall) -> str:
        return name_call(self._ends.principal, asked.name, asked.arguments)

    def _may_ask(self, held: HeldError, asked: AskedCall) -> bool:
        """Whether the client's word that a person has said yes counts, and it can ask one."""
        trusted = self._ends.shared.vouches_for(self._ends.principal)
        can = self._ends.said.get("capabilities") or asked.meta.get(CAPABILITIES)
        asks = isinstance(can, dict) and ELICITATION in can
        return trusted and asks and asked.approved is None and not held.decided

    def _build_question(self, held: HeldError) -> dict[str, Any] | None:
        """The whole call, less secrets, as the dashboard shows it; `None`: it is gone."""
        open_list = self._ends.shared.insights.open_list.show_people()
        try:
            action = open_list.find(held.action)
            what, given = open_list.describe(action), open_list.read_arguments(action)
        except MulliganError:
            return None
        opening = action.opening
        lines = [
            f"May this be done? It cannot be undone, or its undo is not declared: {what}",
            f"{show_name(opening.tool)} of {show_name(opening.server)} is called with:",
            *(f"- {_show(name)}: {_show(value)}" for name, value in given.items()),
        ]
        message = cut("\n".join(lines), most=MOST)
        return {"mode": "form", "message": message, "requestedSchema": SCHEMA}


def _show(value: object) -> str:
    """A value on one line, with marks around a text; one that is cut says how long it was."""
    return cut(encode_json(value).decode(errors="replace"), most=LONGEST)


OWN_NAMES = frozenset(tool["name"] for tool in OWN_TOOLS)
MOST_TURNS = 1_000
"""Turns that a client has named and not ended: the oldest ends first."""
MOST_FAILED = 20
"""The same of those without a name whose call failed."""
SOON = 600.0
"""Seconds within which the next call of a tool is the next try of one that failed."""


class Calls:
    """The calls of one client."""

    def __init__(
        self, ends: Ends, lists: Lists, *, under_way: dict[bytes, asyncio.Task[None]]
    ) -> None:
        self._ends = ends
        self._lists = lists
        self._approval = Approval(ends)
        self._under_way = under_way
        """Calls that can still be cancelled: those that have no answer yet."""

    async def close(self) -> None:
        """The client is gone: the turns that it has named end."""
        for turns in (self._ends.turns, self._ends.failed):
            while turns:
                await turns.popitem()[1].run.leave()

    async def call(self, frame: Frame) -> None:
        """Make a call, and answer it with its server's own answer and what is said beside it."""
        ends, shared = self._ends, self._ends.shared
        asked = read_call(frame, intent=shared.options.intent)
        if asked is not None and shared.options.own_tools and asked.name in OWN_NAMES:
            await ends.own.record.answered.wait()
            by = ends.name_agent(asked.meta)
            result = await self._ends.own.answer(
                asked.name, asked.arguments, by=by, modern=asked.is_modern
            )
            ends.client.send(write_result(frame.key, result))
            return
        found = None if asked is None else ends.names.resolve(asked.name)
        if asked is None or found is None:
            said = "A call has a name, which is a text, and arguments, which are an object."
            if asked is not None:
                said = f"No server has a tool {show_name(asked.name)!r}. "
                said += describe_near(asked.name, self._lists.list_exposed())
            ends.refuse(frame, code=BAD_PARAMS, said=said)
            return
        await self._call_server(asked, *found)

    async def _call_server(self, asked: AskedCall, server: str, name: str) -> None:
        ends, shared = self._ends, self._ends.shared
        asked.began_at = time.monotonic()
        if asked.approved is not None:
            self._approval.take_answer(asked)
        upstream = ends.upstreams[server]
        tool = await self._lists.find_tool(upstream, name, meta=asked.params.get(META, b""))
        why = self._lists.find_refusal(tool)
        await shared.settle(server, name)
        if (
            not why
            and self._lists.lacks(server, name)
            and not shared.forwards_unlisted(server, name)
        ):
            near = describe_near(asked.name, self._lists.list_exposed()).rstrip(".?")
            why = f"{server} lists no tool {show_name(name)!r}. {near}"
        if not why and not shared.takes_name(server, name):
            why = "its server does not list it. No more names of tools are taken"
        made = UpstreamCall(ends, upstream, asked, tool=name)
        call = HostCall(
            tool=name,
            arguments=asked.arguments,
            make=made.make,
            approved=asked.approved,
            schema=tool.schema,
            description=tool.description,
            server=server,
            remote=True,
        )
        mode = Mode.OBSERVE if why else shared.find_mode(call)
        if why := why or shared.find_denial(ends.principal, call):
            self._note_end(asked, call, "refused")
            self._refuse(asked, f"It was not called: {why}.")
            return
        if upstream.is_up and mode.only_watches:
            await self._watch(asked, call, made=made)
            return
        if not mode.only_watches and shared.is_held(server, name, asked.arguments):
            try:
                # Nobody is asked to approve what could not be made then.
                await upstream.start()
            except ServerDownError as down:
                ends.own.record.note_failure(call, str(down))
                self._note_end(asked, call, "unavailable")
                self._refuse(asked, f"It was not called: {down}")
                return
        async with self._open_turn(asked, call) as turn:
            answer = await self._answer(turn, call, made=made, asked=asked)
            self._ends.own.record.note_actions(turn.run.list_actions())
            ends.client.send(answer)

    def _refuse(self, asked: AskedCall, why: str) -> None:
        refused = build_result(why, failed=True, modern=asked.is_modern)
        self._ends.client.send(write_result(asked.frame.key, refused))

    async def _watch(self, asked: AskedCall, call: HostCall, *, made: UpstreamCall) -> None:
        """Forward a call and its answer at once, and log the result."""
        key = asked.frame.key

        def hand_on(frame: Frame) -> None:
            if task := self._under_way.pop(key, None):
                self._ends.own.record.answered.hold(task)
            self._ends.client.send(write_answer(key, frame))

        made.send_ahead(hand_on)
        async with self._open_turn(asked, call) as turn:
            try:
                await turn.run.call(call)
            except Exception as error:  # noqa: BLE001 - its client has it, as the server has said it
                self._note_failure(turn, call, error)
                self._note_end(asked, call, "failed")
            else:
                self._note_silent(turn, call)
                self._note_end(asked, call, "succeeded")
            if asked.message:
                await turn.run.review(None)

    async def _answer(
        self, turn: ClientTurn, call: HostCall, *, made: UpstreamCall, asked: AskedCall
    ) -> bytes:
        host, key, run = self._ends.shared.host, asked.frame.key, turn.run
        try:
            called = await self._make(run, call, asked)
        except HeldError as held:
            self._note_end(asked, call, "held")
            self._ends.own.record.note_actions((held.action,))
            again = self._approval.ask_later(held, asked)
            # Only this client can make it then, since each has servers of its own.
            then = f" Once {STATUS} says that it is approved, call it once more with the same "
            then += "arguments: it is made then."
            told = str(held) if held.decided else f"{held}{then}"
            refused = build_result(told, failed=True, modern=asked.is_modern)
            return write_result(key, again or refused)
        except InputRequested as asks:
            self._note_end(asked, call, "asked")
            return write_result(key, asks.answer.result)
        except Exception as error:  # noqa: BLE001 - the client gets it, as the server has said it
            self._note_failure(turn, call, error)
            self._note_end(asked, call, "failed")
            if refusal := await run.review_failed():
                refused = build_result(refusal, failed=True, modern=asked.is_modern)
                return write_result(key, refused)
            return write_failure(key, error, made=made, advice=host.read_advice(error))
        self._note_silent(turn, call)
        self._note_end(asked, call, "succeeded")
        answer = await run.review(None)
        if not answer.stands:
            refused = build_result(answer.refusal, failed=True, modern=asked.is_modern)
            return write_result(key, refused)
        notes = [note for note in (called.note, answer.note) if note]
        if made.answer is not None and called.result is made.value:
            return write_result(key, add_notes(made.answer.result, notes))
        built = build_result(called.result, notes=notes, modern=asked.is_modern)
        return write_result(key, built)

    async def _make(self, run: HostRun, call: HostCall, asked: AskedCall) -> Called:
        """Make a call; where it is held and its person can be asked, ask and go on."""
        try:
            return await run.call(call)
        except HeldError as held:
            approved = await self._approval.ask(held, asked)
            if approved is None:
                raise
        return await run.call(replace(call, approved=approved))

    def _note_end(self, asked: AskedCall, call: HostCall, outcome: str) -> None:
        took = time.monotonic() - asked.began_at
        self._ends.shared.note_call(self._ends.principal, call, outcome, seconds=took)

    def _note_failure(self, turn: ClientTurn, call: HostCall, error: Exception) -> None:
        turn.failed_at = time.monotonic()
        self._ends.own.record.note_failure(call, str(error))

    def _note_silent(self, turn: ClientTurn, call: HostCall) -> None:
        """A call whose result says that it is an error has failed, too."""
        made = turn.run.list_returned()
        if made and made[-1].failure is not None:
            self._ends.own.record.note_failure(call, made[-1].failure.said)

    @asynccontextmanager
    async def _open_turn(self, asked: AskedCall, call: HostCall) -> AsyncIterator[ClientTurn]:
        """The turn of a call. Calls of one turn come one after the other, each with its review."""
        name = str(asked.meta.get(TURN) or "")
        turn = self._ends.turns.pop(name, None) if name else await self._take_failed(asked, call)
        if turn is None:
            turn = ClientTurn(self._open_run(asked), self._tell_apart(asked))
        goes_on = bool(name) and not asked.meta.get(DONE) and not turn.run.is_full
        if goes_on:
            self._ends.turns[name] = turn
        failed, turn.failed_at = True, None
        try:
            async with turn.lock:
                yield turn
            failed = False
        finally:
            if not name and not failed and turn.awaits_fix:
                # The next call of the tool comes to this turn, and no more to the one before it.
                before = self._ends.failed.pop((call.server, call.tool), None)
                self._ends.failed[call.server, call.tool] = turn
                if before is not None:
                    await before.run.leave()
            elif not goes_on:
                await turn.run.leave(failed=failed)
            self._remember(asked, turn.run)
        for turns, most in ((self._ends.turns, MOST_TURNS), (self._ends.failed, MOST_FAILED)):
            while len(turns) > most:
                await turns.popitem(last=False)[1].run.leave()

    async def _take_failed(self, asked: AskedCall, call: HostCall) -> ClientTurn | None:
        """The turn of the call before this one of the same tool, which failed a moment ago."""
        turn = self._ends.failed.pop((call.server, call.tool), None)
        if turn is None or turn.failed_at is None:
            return None
        if time.monotonic() - turn.failed_at < SOON and turn.of == self._tell_apart(asked):
            return turn
        await turn.run.leave()
        return None

    def _tell_apart(self, asked: AskedCall) -> tuple[str, str, str]:
        """Whose a call is and what it is for: another's is never the next try of it.

        Why a call is made is said anew with each try; what it is for is not.
        """
        context = str(asked.meta.get(CONTEXT) or "")
        return asked.message, self._ends.name_agent(asked.meta), context

    def _open_run(self, asked: AskedCall) -> HostRun:
        ends = self._ends
        context = str(asked.meta.get(CONTEXT) or "")
        if asked.intent and not context:
            # It may have the person's words in it, which are no more for the log than they are.
            hash_text = ends.shared.host.parts.runtime.redactor.hash_text
            context = f"why={hash_text(asked.intent)}"
        return ends.shared.host.open(
            asked.message,
            agent=ends.name_agent(asked.meta),
            principal=ends.principal,
            context=context,
            history=ends.shared.histories.read(ends.principal),
            vouched=bool(asked.said) and ends.shared.vouches_for(ends.principal),
        )

    def _remember(self, asked: AskedCall, run: HostRun) -> None:
        """Keep what passed through here: a later call of the same client may use it."""
        ends, said = self._ends, list[Entry]()
        if asked.said and ends.shared.vouches_for(ends.principal):
            said.append(Utterance(by=Speaker.PERSON, text=asked.said))
        ends.shared.histories.put(ends.principal, run.id, [*said, *run.list_returned()])


def describe_near(name: str, known: Collection[str]) -> str:
    """Which tool was probably meant, of those that its client may call."""
    bare = [each for each in known if each.endswith(f"{SEPARATOR}{name}")]
    near = sorted(bare)[:3] or get_close_matches(name, known, n=1)
    meant = " or ".join(map(repr, near))
    return f"Did you mean {meant}?" if near else "tools/list has all there are."


def write_failure(key: bytes, error: Exception, *, made: UpstreamCall, advice: str) -> bytes:
    """The server's own failure as it came, with what would help beside it."""
    answer = made.answer
    if answer is not None and answer.error:
        return write_error(key, answer.error)
    if answer is not None and answer.result:
        return write_result(key, add_notes(answer.result, (advice,)))
    said = str(error) or type(error).__name__
    modern = made.asked.is_modern
    return write_result(key, build_result(said, failed=True, notes=(advice,), modern=modern))
