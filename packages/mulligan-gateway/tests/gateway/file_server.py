"""An MCP server for files by the official SDK: `file_server.py FOLDER`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from tests.gateway.files import NAMES, FileToolError, FileTools


def with_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except FileToolError as error:
            # The SDK hides what other errors say.
            raise ToolError(str(error)) from error

    return call


if __name__ == "__main__":
    server, tools = MCPServer("secure-filesystem-server"), FileTools(Path(sys.argv[1]))
    (tools.root / ".pid").write_text(str(os.getpid()))
    for name in NAMES:
        server.add_tool(with_errors(getattr(tools, name)), name=name)
    server.run("stdio")
