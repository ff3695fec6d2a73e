"""Checks that choose themselves: what each parameter holds, and what follows for a call of it."""
