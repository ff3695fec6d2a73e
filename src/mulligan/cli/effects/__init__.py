"""What agents did to the world: lists, one whole, and a person's decision."""
