"""Between any MCP client and its servers: what a turn gets elsewhere, with no code on any side."""
