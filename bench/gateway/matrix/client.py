"""A client of the matrix: `client.py sdk|session|fastmcp TARGET STEPS`, prints what each step gave.

`sdk` is the client of mcp 2, `session` the session of either generation.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from contextlib import AsyncExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

SHOWN = 1_000
PATIENCE = 120.0
NOTHING = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
heard: list[Any] = []
greetings: dict[str, Any] = {}
"""What a session was told at its start, which it does not keep."""


def load(name: str) -> Any:
    with suppress(ModuleNotFoundError):
        return import_module(name)
    return None


types = load("mcp_types") or import_module("mcp.types")


async def on_sampling(context: Any, params: Any) -> Any:  # noqa: ARG001
    said = types.TextContent(type="text", text=f"sampled {params.messages[0].content.text}")
    return types.CreateMessageResult(role="assistant", content=said, model="m")


async def on_elicitation(context: Any, params: Any) -> Any:  # noqa: ARG001
    return types.ElicitResult(action="accept", content={"yes": params.message == "Go on?"})


async def on_roots(context: Any) -> Any:  # noqa: ARG001
    return types.ListRootsResult(roots=[types.Root(uri="file:///matrix")])


async def on_log(params: Any) -> None:
    heard.append(["log", params.level, params.data])


async def on_progress(progress: float, total: float | None, message: str | None) -> None:
    heard.append(["progress", progress, total, message])


CALLBACKS = {
    "sampling_callback": on_sampling,
    "elicitation_callback": on_elicitation,
    "list_roots_callback": on_roots,
    "logging_callback": on_log,
}


async def open_transport(stack: AsyncExitStack, target: Any) -> Any:
    if "command" in target:
        stdio = import_module("mcp.client.stdio")
        program, *arguments = target["command"]
        given = stdio.StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        return stdio.stdio_client(given, errlog=NOTHING)
    module = import_module("mcp.client.streamable_http")
    headers = {"authorization": f"Bearer {target['token']}"} if target.get("token") else {}
    make = import_module("mcp.shared._httpx_utils").create_mcp_http_client
    http = await stack.enter_async_context(make(headers=headers))
    return module.streamable_http_client(target["url"], http_client=http)


async def open_client(stack: AsyncExitStack, kind: str, target: Any) -> Any:
    if kind == "fastmcp":
        fastmcp = import_module("fastmcp")
        transports = import_module("fastmcp.client.transports")
        if "command" in target:
            program, *arguments = target["command"]
            env = dict(os.environ)
            transport = transports.StdioTransport(
                program, arguments, env=env, log_file=Path(os.devnull)
            )
        else:
            transport = transports.StreamableHttpTransport(
                target["url"], auth=target.get("token") or None
            )
        client = fastmcp.Client(
            transport,
            sampling_handler=fast_sampling,
            mode=target.get("mode", "auto"),
            elicitation_handler=fast_elicitation,
            roots=["file:///matrix"],
            log_handler=on_log,
        )
        found = (await stack.enter_async_context(client)).session
        greetings["capabilities"] = write(found.server_capabilities)
        greetings["instructions"] = found.instructions
        return found
    if kind == "sdk":
        more = {"log_level": "info"} if target.get("mode") != "legacy" else {}
        client = import_module("mcp").Client(
            await open_transport(stack, target),
            mode=target.get("mode", "auto"),
            **CALLBACKS,
            **more,
        )
        return await stack.enter_async_context(client)
    streams = await stack.enter_async_context(await open_transport(stack, target))
    session = import_module("mcp").ClientSession(streams[0], streams[1], **CALLBACKS)
    client = await stack.enter_async_context(session)
    said = write(await client.initialize())
    greetings.update({name: said[name] for name in ("capabilities", "instructions")})
    return client


async def fast_elicitation(message: str, kind: Any, params: Any, context: Any) -> Any:  # noqa: ARG001
    return {"yes": message == "Go on?"}


async def fast_sampling(messages: Any, params: Any, context: Any) -> Any:  # noqa: ARG001
    return f"sampled {messages[0].content.text}"


async def take(client: Any, step: list[Any]) -> Any:
    match step:
        case ["list", kind]:
            return await getattr(client, f"list_{kind}")()
        case ["call", name, arguments]:
            return await client.call_tool(name, arguments)
        case ["progress", name, arguments]:
            return await client.call_tool(name, arguments, progress_callback=on_progress)
        case ["read", uri]:
            url = uri if load("mcp_types") else import_module("pydantic").AnyUrl(uri)
            return await client.read_resource(url)
        case ["prompt", name, arguments]:
            return await client.get_prompt(name, arguments)
        case ["complete", name, argument]:
            ref = types.PromptReference(type="ref/prompt", name=name)
            return await client.complete(ref, argument)
        case ["greeting"]:
            return greetings or {
                "capabilities": write(client.server_capabilities),
                "instructions": client.instructions,
            }
        case ["ping"]:
            return await client.send_ping()
    raise ValueError(step)


def shorten(value: Any) -> Any:
    """Long texts by their length and hash, and nothing of what a transport times or names."""
    if isinstance(value, dict):
        return {k: shorten(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shorten(each) for each in value]
    if isinstance(value, str) and len(value) > SHOWN:
        return f"{len(value)} characters, {hashlib.sha256(value.encode()).hexdigest()[:12]}"
    return value


def write(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if dump else value


async def play(kind: str, target: Any, steps: list[Any]) -> list[Any]:
    found = []
    async with AsyncExitStack() as stack:
        client = await open_client(stack, kind, target)
        for step in steps:
            heard.clear()
            try:
                async with asyncio.timeout(PATIENCE):
                    gave = write(await take(client, step))
            except Exception as error:
                code = getattr(getattr(error, "error", error), "code", None)
                gave = {"raised": type(error).__name__, "code": code, "said": str(error)}
            await asyncio.sleep(0.05 if heard or step[0] in ("progress", "call") else 0)
            found.append(shorten({"step": step, "gave": gave, "heard": list(heard)}))
    return found


if __name__ == "__main__":
    said = asyncio.run(play(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])))
    sys.stdout.write(json.dumps(said) + "\n")
