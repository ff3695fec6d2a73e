"""What people type, completed by a shell, and the pages made of it."""
