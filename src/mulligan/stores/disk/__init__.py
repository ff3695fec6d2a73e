"""Files that are ours alone, locks in them, and marks beside the database."""
