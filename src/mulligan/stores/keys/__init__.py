"""Encryption, signatures and chains of hashes."""
