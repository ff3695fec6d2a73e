"""The peers of a session, its client and its servers, and a call in flight between them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mulligan.codec import decode_json, encode_json, is_identical
from mulligan.types.adapter import HostRun
from mulligan_gateway.own_tools import OwnCalls
from mulligan_gateway.party import OnAnswer, Party, await_answer
from mulligan_gateway.protocol import (
    BAD_PARAMS,
    CLIENT_INFO,
    META,
    NO_METHOD,
    STATE,
    VERSION_META,
    Frame,
    Raw,
    asks_for_input,
    read_fields,
    read_object,
    read_text,
    write_refusal,
)
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tools import (
    TOOLS,
    ListedItem,
    Names,
    Refusals,
    ToolFailedError,
    read_failure,
    read_value,
)
from mulligan_gateway.upstream import Upstream


@dataclass(eq=False, slots=True)
class ClientTurn:
    """A turn that further calls may come to."""

    run: HostRun
    of: tuple[str, str, str] = ("", "", "")
    """What its first call said: the message, the agent, the context."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    failed_at: float | None = None
    """When its last call failed, on a monotonic clock; `None`: it did not."""

    @property
    def awaits_fix(self) -> bool:
        """Whether its last call failed, and nothing of it has to be seen to before the next."""
        done = self.failed_at is None or self.run.is_full
        return not done and not self.run.list_actions()


@dataclass(eq=False, slots=True, kw_only=True)
class Ends:
    """Who is there, and what they have said of themselves."""

    shared: Shared
    client: Party
    principal: str
    names: Names
    upstreams: dict[str, Upstream] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    """What the client said of itself when it came, in revisions in which it does."""
    known: dict[tuple[str, str], dict[str, ListedItem]] = field(default_factory=dict)
    """Lists that were read to their end, by kind and server, and what is on them by its name."""
    compared: set[str] = field(default_factory=set)
    """The lists of resources that were held against one another since they have changed."""
    refused: dict[str, Refusals] = field(default_factory=dict)
    """By kind: what is not offered of those lists."""
    own: OwnCalls
    """What the client did, for its own questions about it."""
    turns: OrderedDict[str, ClientTurn] = field(default_factory=OrderedDict)
    """By the names that the client has given them."""
    failed: OrderedDict[tuple[str, str], ClientTurn] = field(default_factory=OrderedDict)
    """Turns without a name whose call failed, by server and tool: the next call of it, if it comes
    soon, is the next try, so that what repaired it is learned."""

    @property
    def only(self) -> Upstream | None:
        """The server, where there is just one."""
        return None if self.names.only is None else self.upstreams[self.names.only]

    def refuse(self, frame: Frame, *, code: int, said: str) -> None:
        """Answer a request with an error of the gateway's own."""
        self.client.send(write_refusal(frame.key, code, said))

    def name_agent(self, meta: dict[str, Any]) -> str:
        """What the client calls itself, after the name of its token: `ann/claude-code`."""
        about = self.said.get("clientInfo") or meta.get(CLIENT_INFO)
        said = about.get("name") if isinstance(about, dict) else None
        name = said if isinstance(said, str) else ""
        if not self.principal:
            return name
        # A client chooses its name, and must not come to stand under another's token by it.
        return f"{self.principal}/{name.replace('/', '_')}" if name else self.principal


MESSAGE, TURN, DONE = "mulligan/message", "mulligan/turn", "mulligan/done"
"""In the `_meta` of a call: what the person said, the turn it belongs to, whether that ends."""
CONTEXT = "mulligan/context"
"""There too: what the agent is trying to do, a phrase for the log."""
INTENT = "why_this_call"
"""The argument by which an agent says why it makes a call, where that is asked for."""
APPROVAL = "mulligan_approval"
"""The question whether a held call may be made, where a client answers by asking again."""


class InputRequested(Exception):  # noqa: N818 - it is none: the server asks, and is called again
    """A server wants to know something from its client first, and has said so in its answer."""

    def __init__(self, answer: Frame) -> None:
        super().__init__("It asks its client for input.")
        self.answer = answer


class ServerGoneError(ConnectionError):
    """A server is gone, silent or not understood, and may have done what it was asked for."""


@dataclass(slots=True, kw_only=True)
class AskedCall:
    """A call as a client asks for it."""

    frame: Frame
    params: dict[str, Any]
    name: str
    arguments: dict[str, Any]
    meta: dict[str, Any]
    intent: str = ""
    explained: bool = False
    """It had a place for the agent's intent, if an empty one, which its server does not know."""
    approved: bool | None = None
    """What the person has said, where this is the answer to our question."""
    began_at: float = 0.0
    """When it came, on a monotonic clock."""
    question: str = ""
    """The name of the question that it says it answers, where that is written as ours are."""

    @property
    def is_modern(self) -> bool:
        """Whether it is of a revision in which every request says all with itself."""
        return VERSION_META in self.meta

    @property
    def message(self) -> str:
        """What the person or the agent wanted, as far as it is known."""
        return self.said or self.intent

    @property
    def said(self) -> str:
        """What the person said, as the client reports it."""
        return str(self.meta.get(MESSAGE) or "")


class UpstreamCall:
    """A call as its server gets it, and the server's answer as it came."""

    def __init__(self, ends: Ends, upstream: Upstream, asked: AskedCall, *, tool: str) -> None:
        self._ends = ends
        self._upstream = upstream
        self.asked = asked
        self._tool = tool
        self.answer: Frame | None = None
        self.value: object = None
        self._ahead: asyncio.Future[Frame] | None = None
        self._name = b""
        """The id that its server has it under; empty before it was sent."""

    def send_ahead(self, on_answer: OnAnswer) -> None:
        """Send the call as it is before it is brought, and hand its answer on as it comes.

        For a tool that is only watched: nothing that is found out about it could change either.
        """
        self._ahead = self._send(self.asked.arguments, on_answer)

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Send the call, and give the value of its result; a failure is raised."""
        self.answer = None
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            await self._upstream.start()
        try:
            answer = await (ahead or self._send(arguments))
        except asyncio.CancelledError:
            self._upstream.drop(self._name, reason="The client has cancelled it.")
            raise
        if not answer.id:
            # The gateway has given it up itself.
            raise ServerGoneError(read_text(read_fields(answer.error).get("message")))
        self.answer = answer
        if answer.error:
            raise self._blame_name(read_error(answer))
        result = read_object(answer.result)
        if asks_for_input(result):
            self._ends.shared.note_state(self._ends.principal, result.get(STATE))
            raise InputRequested(answer)
        self.value = read_value(result)
        if result.get("isError") is True:
            raise self._blame_name(read_failure(result))
        return self.value

    def _blame_name(self, failure: ToolFailedError) -> ToolFailedError:
        """A server that does not list a tool refuses the tool, and not what it was given: the
        protocol has one code for both."""
        listed = self._ends.known.get((TOOLS, self._upstream.server.name))
        if failure.code == BAD_PARAMS and listed is not None and self._tool not in listed:
            failure.code = NO_METHOD
        return failure

    def _send(
        self, arguments: Mapping[str, object], on_answer: OnAnswer | None = None
    ) -> asyncio.Future[Frame]:
        answer, note = await_answer()

        def take(frame: Frame) -> None:
            note(frame)
            if on_answer is not None:
                on_answer(frame)

        self._name = self._upstream.ask(
            "tools/call",
            self._write_params(arguments),
            origin=self._ends.client,
            key=self.asked.frame.key,
            on_answer=take,
            again=bool(self._name),
        )
        return answer

    def _write_params(self, arguments: Mapping[str, object]) -> bytes | Raw:
        """As they came, wherever nothing of them is ours or was repaired."""
        asked = self.asked
        same = is_identical(dict(arguments), asked.arguments)
        named = self._ends.names.only is not None
        held = self._ends.shared.is_held(self._upstream.server.name, self._tool, arguments)
        if same and named and not (asked.explained or asked.question or held):
            return asked.frame.params
        params = self._find_seen() if held else dict(asked.params)
        params["name"] = self._tool
        if not same or asked.explained:
            params["arguments"] = dict(arguments)
        if asked.question:
            params.pop("inputResponses", None)
            params.pop(STATE, None)
        return encode_json(params)

    def _find_seen(self) -> dict[str, Any]:
        """What a held call is sent with: its arguments, which are all that a person has seen, what
        its transport needs, and what answers a question that its server has asked."""
        asked, shared = self.asked, self._ends.shared
        answers = shared.has_asked(self._ends.principal, read_text(asked.params.get(STATE)))
        names = ("name", "arguments", *(("inputResponses", STATE) if answers else ()))
        params: dict[str, Any] = {n: v for n, v in asked.params.items() if n in names}
        meta = {n: v for n, v in asked.meta.items() if n.startswith(_OF_TRANSPORT)}
        return params | ({META: meta} if meta else {})


_OF_TRANSPORT = ("io.modelcontextprotocol/", "progressToken", "traceparent", "tracestate")


def read_call(frame: Frame, *, intent: bool) -> AskedCall | None:
    """A call as it was asked for; `None` where it names no tool or has no arguments to name."""
    params = read_fields(frame.params)
    name = read_text(params.get("name"))
    try:
        arguments = decode_json(bytes(params.get("arguments", b"{}")))
        meta = decode_json(bytes(params[META])) if META in params else {}
    except (ValueError, RecursionError):
        return None
    arguments = {} if arguments is None else arguments
    if not name or not isinstance(arguments, dict):
        return None
    answer = read_object(read_fields(params.get("inputResponses", b"")).get(APPROVAL, b""))
    written, _, question = read_text(params.get(STATE)).partition(".")
    ours = written == APPROVAL and bool(question)
    explained = intent and INTENT in arguments
    why = arguments.pop(INTENT) if explained else ""
    return AskedCall(
        frame=frame,
        params=params,
        name=name,
        arguments=arguments,
        meta=meta if isinstance(meta, dict) else {},
        intent=str(why),
        explained=explained,
        approved=read_approval(answer) if ours else None,
        question=question if ours else "",
    )


def read_approval(answer: Mapping[str, Any]) -> bool | None:
    """What a person has said in an elicitation; `None`: they did not say."""
    content = answer.get("content")
    if answer.get("action") == "accept" and isinstance(content, dict):
        return content.get("approve") is True
    return False if answer.get("action") == "decline" else None


def read_error(answer: Frame) -> ToolFailedError:
    """An error of the protocol, in the server's words."""
    said = read_object(answer.error)
    code = said.get("code")
    return ToolFailedError(
        str(said.get("message") or ""),
        code=code if isinstance(code, int) else None,
        data=said.get("data"),
    )
