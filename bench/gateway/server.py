"""The server that every contender stands before: one trivial tool of the official SDK."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

mcp = MCPServer("bench")


@mcp.tool()
def find_room(size: str, seats: int) -> dict[str, object]:
    """Find a room."""
    return {"room": f"{size}-{seats}", "seats": seats, "notes": "By the window, second floor."}


if __name__ == "__main__":
    mcp.run()
