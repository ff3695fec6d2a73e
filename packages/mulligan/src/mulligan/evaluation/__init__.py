"""What the checks of replies do to a set of questions: run it, report on it, compare two of it."""
