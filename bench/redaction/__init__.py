"""Secrets and ordinary values that are drawn, planted, and looked for afterwards."""
