"""What one page shows, one frozen answer a view: the same for a page, for JSON and a command."""
