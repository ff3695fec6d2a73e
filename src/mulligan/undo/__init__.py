"""Taking one effect back and proving it: what it concerns, what rests on it, what a read shows."""
