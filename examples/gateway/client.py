"""Any MCP client, any MCP server, and `mulligan gateway` between them: no line of it is ours.

`python examples/gateway/client.py`: a wrong write is undone, a message awaits approval.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp_types import ElicitRequestParams, ElicitResult

HERE = Path(__file__).parent


async def ask_person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    """The client's own dialogue; here somebody always says yes."""
    print(f"  (the person is asked: {params.message.splitlines()[0][:60]} …)")
    return ElicitResult(action="accept", content={"approve": True})


async def call(client: Client, tool: str, **arguments: str) -> str:
    """What a model would do next, and what it reads."""
    came = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in came.content if part.type == "text")
    print(f"{tool}: {' '.join(text.split())[:70]}")
    return text


async def main(folder: Path) -> None:
    """One conversation."""
    notes = folder / "notes.json"
    notes.write_text(json.dumps({"shopping": "milk, bread"}), encoding="utf-8")
    server = {
        "command": sys.executable,
        "args": [str(HERE / "notes_server.py")],
        "env": {"NOTES": str(notes)},
    }
    servers = json.dumps({"mcpServers": {"notes": server}})
    (folder / "mcp.json").write_text(servers, encoding="utf-8")
    gateway = StdioServerParameters(
        command=sys.executable,
        args=[
            *("-m", "mulligan", "gateway", str(folder / "mcp.json")),
            *("--declarations", str(HERE / "declarations.toml")),
            *("--store", f"sqlite:///{folder / 'agent.db'}"),
        ],
        env=dict(os.environ),
    )
    async with Client(stdio_client(gateway), elicitation_callback=ask_person) as client:
        await call(client, "update_note", name="shopping", text="everything")
        done = await call(client, "mulligan_undo")
        await call(client, "mulligan_undo", action=done.partition(":")[0])
        await call(client, "get_note", name="shopping")
        await call(client, "send_note", name="shopping", to="ann@example.com")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))
