"""Who may see and do what: sealed tokens, roles, and the guard in front of every route."""
