"""The server of the matrix, as either generation of the Python SDK runs it: `server.py [PORT]`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MODERN = find_spec("mcp.server.mcpserver") is not None
module: Any = import_module("mcp.server.mcpserver" if MODERN else "mcp.server.fastmcp")
types: Any = import_module("mcp_types" if MODERN else "mcp.types")
Context, Image = module.Context, module.Image
MIB = 1024 * 1024
MEMO = os.environ.get("MATRIX_MEMO", "memo")
PIXEL = bytes.fromhex("89504e470d0a1a0a")
over_http = {} if len(sys.argv) < 2 or MODERN else {"port": int(sys.argv[1])}
server: Any = getattr(module, "MCPServer" if MODERN else "FastMCP")(
    "matrix", instructions="Serves every feature once.", **over_http
)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def echo(text: str) -> str:
    """Say it again."""
    return text


def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


def show() -> Any:
    """Return a picture."""
    return Image(data=PIXEL, format="png")


def weigh(mib: int) -> str:
    """Return so much text."""
    return "x" * (mib * MIB)


def point() -> Any:
    """Return a link and a part of a resource."""
    uri = {"uri": f"{MEMO}://fixed"}
    return [
        types.ResourceLink(type="resource_link", name="fixed", **uri),
        types.EmbeddedResource(
            type="resource", resource=types.TextResourceContents(text="in", **uri)
        ),
    ]


async def count(steps: int, ctx: Any) -> str:
    """Tell of each step."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
    return "counted"


async def note(text: str, ctx: Any) -> str:
    """Write to the client's log."""
    await ctx.info(text)
    return "noted"


async def ask(ctx: Any) -> str:
    """Ask the person."""
    said = await ctx.session.elicit(
        "Go on?", {"type": "object", "properties": {"yes": {"type": "boolean"}}}
    )
    return f"{said.action} {said.content}"


async def sample(ctx: Any) -> str:
    """Have the client's model say something."""
    content = types.TextContent(type="text", text="hi")
    said = await ctx.session.create_message(
        [types.SamplingMessage(role="user", content=content)], max_tokens=9
    )
    return str(said.content.text)


async def roots(ctx: Any) -> str:
    """Ask the client for its roots."""
    return ",".join(str(each.uri) for each in (await ctx.session.list_roots()).roots)


for tool in (add, echo, fail, show, weigh, point):
    server.tool()(tool)
for told in (count, note, ask, sample, roots):
    told.__annotations__["ctx"] = Context
    server.tool()(told)


def fixed() -> str:
    """A text."""
    return "fixed é"


def raw() -> bytes:
    """Bytes."""
    return b"\x00\xff"


def memo(name: str) -> str:
    """A text for each name."""
    return f"memo of {name}"


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Greet {name}."


async def complete(ref: Any, argument: Any, context: Any) -> Any:  # noqa: ARG001
    """Names that begin so."""
    found = [each for each in ("ann", "anton", "bob") if each.startswith(argument.value)]
    return types.Completion(values=found)


server.resource(f"{MEMO}://fixed", mime_type="text/plain")(fixed)
server.resource(f"{MEMO}://bytes", mime_type="application/octet-stream")(raw)
server.resource(f"{MEMO}://of/{{name}}")(memo)
server.prompt()(greet)
server.completion()(complete)

if len(sys.argv) < 2:
    server.run()
elif MODERN:
    server.run(transport="streamable-http", port=int(sys.argv[1]))
else:
    server.run(transport="streamable-http")
