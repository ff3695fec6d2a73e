"""Which key a store has, and what is locked and signed under it."""
