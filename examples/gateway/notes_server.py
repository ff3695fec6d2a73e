"""An MCP server by the official SDK that knows nothing of Mulligan: notes, in the file NOTES."""

import json
import os
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

NOTES = Path(os.environ["NOTES"])
mcp = MCPServer("notes")


def read_all() -> dict[str, str]:
    """Every note, by its name."""
    notes: dict[str, str] = json.loads(NOTES.read_text(encoding="utf-8"))
    return notes


@mcp.tool()
def get_note(name: str) -> dict[str, str]:
    """Read a note."""
    notes = read_all()
    if name not in notes:
        raise ToolError(f"no such note: {name}")
    return {"name": name, "text": notes[name]}


@mcp.tool()
def update_note(name: str, text: str) -> str:
    """Write a note anew."""
    NOTES.write_text(json.dumps({**read_all(), name: text}), encoding="utf-8")
    return f"wrote {name}"


@mcp.tool()
def send_note(name: str, to: str) -> str:
    """Send a note to somebody, which cannot be undone."""
    return f"sent {name} to {to}"


if __name__ == "__main__":
    mcp.run()
