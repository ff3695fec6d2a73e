"""What is stored, as JSON and back by its type hints. Only this floor knows msgspec."""
