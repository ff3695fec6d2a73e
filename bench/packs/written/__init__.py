"""The same four tools, bare, with our declarations, and with a peer's connector: to be counted."""
