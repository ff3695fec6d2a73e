"""Ready checks: each makes a pure function from an attempt to findings."""
