"""What a check looks at: calls, values, moments, people, and what it is about."""
