"""Work counted instead of timed: the same on a busy machine, so that a test can notice more."""
