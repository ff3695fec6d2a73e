"""The compiled part of redaction: built from `fast/`, and held against the pure form."""
