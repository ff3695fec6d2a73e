"""The crash campaign: an application killed at every point, and what its remote says afterwards."""
