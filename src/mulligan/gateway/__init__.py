"""MCP clients and their servers with Mulligan between them: `mulligan gateway mcp.json`."""
