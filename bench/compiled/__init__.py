"""The compiled part of redaction: built from its sources, and held against the pure form."""
