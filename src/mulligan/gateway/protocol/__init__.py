"""Messages between two peers: as bytes, as lines, by their ids, and within limits."""
