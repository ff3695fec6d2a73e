"""Where the loops meet in one tool call: tools, calls, the journal, turns, undo and recovery."""
