"""Contracts and fakes that users of Mulligan get too."""
