"""Clients that speak to the gateway: over its own standard input and output, or over HTTP."""
