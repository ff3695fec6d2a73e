"""What a tool returned, looked at: an answer, or an error in disguise."""
