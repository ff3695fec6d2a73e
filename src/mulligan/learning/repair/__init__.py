"""What would mend a failed call: every source of suggestions, and the advice."""
