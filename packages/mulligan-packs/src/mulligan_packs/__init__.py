"""Ready tools for one kind of remote each: effects, undo, probes, facts and checks."""
