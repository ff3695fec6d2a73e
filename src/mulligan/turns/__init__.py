"""Where the loops meet in one tool call."""
