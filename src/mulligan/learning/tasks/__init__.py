"""What was learned about a task: its versions, their scores, which one runs next."""
