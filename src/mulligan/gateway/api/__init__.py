"""The HTTP API: what agents in other languages log and ask, as routes that a server mounts."""
