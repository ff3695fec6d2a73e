"""What tools have returned, as fields and records: where a value of a call came from."""
