"""What all need of a database driver: sessions, a pool of them, queries from files."""
