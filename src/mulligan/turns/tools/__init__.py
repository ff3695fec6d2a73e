"""A tool as its author declares it: what it takes, what it returns, what that promises."""
