"""What we add to Python: late compilation, event loops, timeouts, forks, fault points."""
