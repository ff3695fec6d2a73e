"""FastMCP's proxy before the server. Run with its environment's Python: PYTHON SERVER."""

from __future__ import annotations

import sys

from fastmcp.server import create_proxy

if __name__ == "__main__":
    python, server = sys.argv[1:3]
    servers = {"mcpServers": {"bench": {"command": python, "args": [server]}}}
    create_proxy(servers).run(transport="stdio", show_banner=False)
