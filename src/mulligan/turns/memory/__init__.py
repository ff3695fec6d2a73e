"""What a turn keeps of its failures, and what earlier ones say about them."""
