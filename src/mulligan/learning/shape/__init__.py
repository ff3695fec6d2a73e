"""The shape a tool declares for its arguments, and how a call is brought into it."""
