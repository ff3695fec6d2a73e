"""What we add to Python: dataclasses and patterns made when needed, points where tests strike."""
