"""What the parts of a phrase come to, said at a certain moment."""
