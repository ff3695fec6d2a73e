"""What people mean by a date: every time expression of a message, with all it can mean."""
