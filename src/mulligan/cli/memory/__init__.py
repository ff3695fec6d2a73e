"""What tools were called with, how that went, and what was learned of it."""
