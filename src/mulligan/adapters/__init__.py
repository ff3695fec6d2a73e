"""Hosts: how Mulligan is used from a framework. An adapter translates; it decides nothing."""
