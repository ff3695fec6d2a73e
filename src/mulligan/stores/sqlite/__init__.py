"""SQLite: a file for the journal and the vault, a file for the log, and their marks."""
