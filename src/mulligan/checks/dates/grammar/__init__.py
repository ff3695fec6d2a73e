"""Rules that find the parts of a phrase about time, and put them together."""
