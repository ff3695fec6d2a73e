"""FastMCP: every call that a client makes is a turn, or one of the turn that the client names."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache, partial, wraps
from typing import Any

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.dependencies import (
    get_access_token,
    get_http_request,
    without_injected_parameters,
)
from fastmcp.server.middleware import Middleware
from fastmcp.tools import base as tools_base
from fastmcp.tools.base import ToolResult
from fastmcp.tools.function_tool import FunctionTool
from mcp_types import TextContent
from msgspec import Struct, field
from pydantic import TypeAdapter
from pydantic import ValidationError as PydanticValidationError

from mulligan.runtime.context import carry, carry_on, read_context
from mulligan.types.adapter import Called, Host, HostCall, HostRun, read_written
from mulligan.types.errors import HeldError, NothingDone
from mulligan.types.turn import SessionHistories, Speaker, Utterance

ASKS_FOR_INPUT = getattr(tools_base, "InputRequiredToolResult", ())
"""What a tool answers with that asks its client first; earlier releases have no such thing."""

MESSAGE = "mulligan/message"
"""What the person said, in the `_meta` of a request."""
CONTEXT = "mulligan/context"
"""What the agent is trying to do, a phrase for the log."""
TURN = "mulligan/turn"
"""The turn that a call belongs to, by any name that its client gives it."""
DONE = "mulligan/done"
"""It is the last call of its turn."""

LOCAL = ""
"""The client of a server that is not on the network."""

CANNOT = {
    "written_calls": "A server sees calls, and never what the model of its client writes.",
    "hold_back": "A server gives results, and streams no reply.",
    "keep_unfinished": "A server gives results of calls, and a rejected or held one is an error.",
}

MOST_TURNS = 1_000
"""Turns that clients have named and not ended: the oldest ends first."""


def build(host: Host) -> ReviewedCalls:
    """A middleware of a server: `mcp.add_middleware(m.for_fastmcp())`."""
    return ReviewedCalls(host)


class ReviewedCalls(Middleware):  # type: ignore[misc]
    """Reviews what a call did before its client has the result."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.turns: OrderedDict[tuple[str, str], NamedTurn] = OrderedDict()
        self.sessions = SessionHistories()

    async def on_list_tools(self, context: Any, call_next: Any) -> Sequence[Any]:
        """The tools, with what is known to go wrong in their descriptions."""
        return [self._describe(tool) for tool in await call_next(context)]

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Bring a call; what is said about it is what the client gets."""
        tool = await context.fastmcp_context.fastmcp.get_tool(context.message.name)
        if tool is None or self._is_brought(context):
            return await call_next(context)
        inner = await find_inner(tool, self.host)
        declared = self.host.is_declared
        if inner and (declared(inner.name) or not declared(context.message.name)):
            # A mounted server brings the call: it is nearer to the tool, and knows its name unless
            # only the one here was declared.
            return await call_next(context)
        made = ServerCall(context, call_next, inner=inner)
        async with self._open_turn(context) as run:
            try:
                called = await run.call(read_call(context, tool=tool, made=made))
            except HeldError as held:
                raise ToolError(str(held)) from None
            except InputAsked as asked:
                return asked.result
            except Exception as error:
                if refusal := await run.review_failed():
                    raise ToolError(refusal) from error
                return made.fail(error, advice=self.host.read_advice(error))
            answer = await run.review(None)
            if not answer.stands:
                raise ToolError(answer.refusal)
            return add_notes(made.read(called, tool), (called.note, answer.note))

    def _is_brought(self, context: Any) -> bool:
        """Whether a server that this one is mounted on has brought this very call."""
        carried = read_context()
        outer = carried.of(InnerTool)
        server = context.fastmcp_context.fastmcp
        here = self.host.application, server, context.message.name
        if outer is None or (outer.application, outer.server, outer.name) != here:
            return False
        # What its tool calls itself is a call of its own.
        carry_on(carried.put(InnerTool, None))
        return True

    @asynccontextmanager
    async def _open_turn(self, context: Any) -> AsyncIterator[HostRun]:
        """The turn of a call. Calls of one turn come one after the other, each with its review."""
        request = context.fastmcp_context.request_context
        meta = dict((request.meta if request is not None else None) or {})
        principal = read_principal()
        message, session = str(meta.get(MESSAGE, "")), find_session(principal)
        # Where the client is unknown, a name would join turns of two clients.
        name = principal, str(meta.get(TURN, "")) if session is not None else ""
        turn = self.turns.pop(name, None) if name[1] else None
        if turn is None:
            history = self.sessions.read(session, whole=session is not None)
            run = self.host.open(
                message,
                principal=principal,
                given=context,
                context=str(meta.get(CONTEXT) or ""),
                history=history,
                vouched=session == LOCAL,
            )
            turn = NamedTurn(run)
        goes_on = bool(name[1]) and not meta.get(DONE) and not turn.run.is_full
        if goes_on:
            self.turns[name] = turn
        failed = True
        try:
            async with turn.lock:
                yield turn.run
            failed = False
        finally:
            if not goes_on:
                await turn.run.leave(failed=failed)
            if session is not None:
                said = [Utterance(by=Speaker.PERSON, text=message)] if session == LOCAL else []
                self.sessions.put(session, turn.run.id, [*said, *turn.run.list_returned()])
        while len(self.turns) > MOST_TURNS:
            await self.turns.popitem(last=False)[1].run.leave()

    def _describe(self, tool: Any) -> Any:
        pitfalls = self.host.describe_pitfalls([tool.name])
        if not pitfalls or pitfalls in (tool.description or ""):
            return tool
        said = f"{tool.description or ''}\n\n{pitfalls}".strip()
        return tool.model_copy(update={"description": said})


class InnerTool(Struct, frozen=True):
    """A tool of a mounted server that has a middleware of the same application: carried where a
    call was brought to it."""

    application: object
    server: Any
    name: str


async def find_inner(tool: Any, host: Host) -> InnerTool | None:
    """Where a call of a mounted tool would be brought next; `None`: nowhere else."""
    while tool is not None:
        tool = getattr(tool, "parent_tool", tool)
        server = getattr(tool, "_server", None)  # nothing public tells
        if server is None:
            return None
        name, application = tool._original_name, host.application  # noqa: SLF001 - as above
        ours = [each for each in server.middleware if isinstance(each, ReviewedCalls)]
        if any(each.host.application is application for each in ours):
            return InnerTool(application, server, name)
        tool = await server.get_tool(name)
    return None


class NamedTurn(Struct, frozen=True):
    """A turn that further calls may come to."""

    run: HostRun
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class InputAsked(Exception):  # noqa: N818 - it is none: the tool asks its client, and is called again
    """A tool wants to know something from its client first."""

    def __init__(self, result: Any) -> None:
        super().__init__("It asks its client for input.")
        self.result = result


class ServerCall:
    """A call as the server makes it, and its result in the server's own form."""

    def __init__(self, context: Any, call_next: Any, *, inner: InnerTool | None = None) -> None:
        self._context = context
        self._call_next = call_next
        self._inner = inner
        self._result: Any = None
        self._value: object = None
        self._error: Exception | None = None

    async def make(self, arguments: Mapping[str, object]) -> object:
        """The value of the result; what a proxied server returns as a failure is raised."""
        asked = self._context.message.model_copy(update={"arguments": dict(arguments)})
        self._result = self._error = None
        try:
            with carry(read_context().put(InnerTool, self._inner)):
                result = await self._call_next(self._context.copy(message=asked))
        except Exception as error:  # noqa: BLE001
            self._error = error
            # What the tool itself has raised, where the server has wrapped it.
            cause = error.__cause__ if isinstance(error, ToolError) else None
            raise (cause if isinstance(cause, Exception) else error) from None
        self._result = result
        if isinstance(result, ASKS_FOR_INPUT):
            raise InputAsked(result)
        self._value = read_value(result)
        if getattr(result, "is_error", False):
            raise ToolError(_join_texts(result) or "It failed, and did not say why.")
        return self._value

    def read(self, called: Called, tool: Any) -> Any:
        """The server's own result where the value is that, else one that is built of it."""
        if self._result is not None and called.result is self._value:
            return self._result
        return tool.convert_result(called.result)

    def fail(self, error: Exception, *, advice: str) -> Any:
        """The server's own failure, with what would help."""
        if self._result is not None:
            return add_notes(self._result, (advice,))
        own = self._error or (error.__cause__ if isinstance(error, NothingDone) else None)
        if own is not None and not advice:
            raise own
        told = (str(own or error), advice)
        raise ToolError("\n\n".join(filter(None, told))) from error


def read_call(context: Any, *, tool: Any, made: ServerCall) -> HostCall:
    """A call in no framework's words. It has no id: a client asks again with the same arguments."""
    return HostCall(
        tool=context.message.name,
        arguments=context.message.arguments or {},
        make=made.make,
        check=partial(check_arguments, tool),
        schema=tool.parameters,
        description=tool.description or "",
        function=getattr(tool, "fn", None),
    )


async def check_arguments(tool: Any, arguments: Mapping[str, object]) -> None:
    """Raise what the server says of arguments that a function does not take.

    Tools that live elsewhere, such as those of a mounted server, tell once they are called.
    """
    if isinstance(tool, FunctionTool):
        try:
            _build_adapter(tool.fn).validate_python(dict(arguments))
        except PydanticValidationError as error:
            raise ValidationError(str(error)) from error


@lru_cache(maxsize=1_000)
def _build_adapter(function: Any) -> TypeAdapter[Any]:
    """Takes what the function takes, and does nothing with it."""
    asked = without_injected_parameters(function)

    @wraps(asked)
    def accept(*_: Any, **__: Any) -> None: ...

    return TypeAdapter(accept)  # type: ignore[arg-type]


def read_principal() -> str:
    """Who asks, as their token says; empty where the server has no authentication."""
    token = get_access_token()
    if token is None:
        return ""
    claims = token.claims or {}
    who = getattr(token, "subject", None) or claims.get("sub") or token.client_id
    return f"{claims['iss']} {who}" if claims.get("iss") else str(who)


def find_session(principal: str) -> object | None:
    """Whose calls these are; `None` where it is unknown.

    A token names one; a server that is not on the network has one client.
    The newest protocol has no sessions, so of others nothing is remembered.
    """
    if principal:
        return principal
    try:
        get_http_request()
    except RuntimeError:
        return LOCAL
    return None


def read_value(result: Any) -> object:
    """What a tool returned, out of the wrapping that it came in."""
    if not isinstance(result, ToolResult):
        return result
    structured = result.structured_content
    if structured is not None:
        wrapped = ((result.meta or {}).get("fastmcp") or {}).get("wrap_result")
        return structured.get("result") if wrapped else structured
    return read_written(_join_texts(result))


def add_notes(result: Any, notes: Sequence[str]) -> Any:
    """A result with what its reader is to know beside it; all else is as it came."""
    told = [TextContent(type="text", text=note) for note in notes if note]
    if not told or not isinstance(result, ToolResult):
        return result
    return ToolResult(
        content=[*result.content, *told],
        structured_content=result.structured_content,
        meta=result.meta,
        is_error=result.is_error,
    )


def _join_texts(result: Any) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))
