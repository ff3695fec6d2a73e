"""Servers that the gateway speaks to: processes and addresses, started again when they die."""
