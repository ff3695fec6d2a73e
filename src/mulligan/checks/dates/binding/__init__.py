"""Which of a person's phrases about time each call is about."""
