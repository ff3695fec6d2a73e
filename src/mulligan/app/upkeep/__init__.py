"""What an application does beside its turns: retention, lessons, and a process for only that."""
