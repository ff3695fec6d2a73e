"""What a crash, a cancelled turn or a person left open, looked after later."""
