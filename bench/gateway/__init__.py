"""The gateway beside its peers: the server behind them all, and the clients that ask."""
