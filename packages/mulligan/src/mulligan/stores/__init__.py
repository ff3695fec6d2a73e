"""Where things are kept: memory, SQLite and Postgres behind the interfaces of `mulligan.types`."""
