"""What stores and engines are given, asked and told: rows, counts, ids, times, writers."""
