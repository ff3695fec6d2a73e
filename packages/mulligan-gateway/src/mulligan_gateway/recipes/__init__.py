"""What the tools of well-known public servers do, one file a server: facts, and where from."""
