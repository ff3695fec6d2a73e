"""The ways in which a value can be made out of a failing call, its error and its turn."""
