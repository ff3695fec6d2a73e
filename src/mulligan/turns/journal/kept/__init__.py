"""What is kept beside the journal: arguments and results of calls, what reviews found and said."""
