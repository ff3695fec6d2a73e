"""Learns from failing calls: patterns of errors, corrections, lessons."""
