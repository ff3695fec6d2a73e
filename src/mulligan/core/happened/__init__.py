"""What happened, one frozen record each: to calls and actions, to texts, to tasks."""
