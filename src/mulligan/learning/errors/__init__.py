"""What an error says: its message, its class, its pattern."""
