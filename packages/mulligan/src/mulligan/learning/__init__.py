"""What failures have in common and what mends them."""
