"""The words that requests are understood by, a file a language."""
