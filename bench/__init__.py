"""What Mulligan costs and what it is worth, measured beside its peers: `python -m bench SUITE`."""
