"""What is stored, as JSON and back by its hints; annotations as schemas. Only here is msgspec."""
