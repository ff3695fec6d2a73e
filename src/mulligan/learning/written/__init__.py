"""What a model wrote, read the way it was meant: values and calls in any dialect."""
