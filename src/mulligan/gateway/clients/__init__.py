"""The files of MCP clients: where they lie, and how they are changed without losing a comment."""
