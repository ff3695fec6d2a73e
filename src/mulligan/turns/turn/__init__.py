"""One turn: its attempts, their review, what is taken back, and the reply at its end."""
