"""A store that lives as long as its process: for tests, and for trying things out."""
