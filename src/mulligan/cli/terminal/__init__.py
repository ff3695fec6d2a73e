"""What all commands share: options, tables, progress, where they write."""
