"""Postgres: one schema, `mulligan`, that many processes share."""
