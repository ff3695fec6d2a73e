"""How long anybody waits, how often anything is tried, and what it may cost."""
