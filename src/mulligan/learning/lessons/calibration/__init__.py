"""Whether probabilities mean what they say, counted and drawn."""
