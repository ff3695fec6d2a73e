"""The words and the rules. Standard library only; no clock, no store, no model, no network."""
