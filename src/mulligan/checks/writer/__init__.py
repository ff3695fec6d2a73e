"""What a writer is told of its text, and what its notes may not say."""
