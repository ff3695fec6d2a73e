"""Declared tools as frameworks really call them: scripted models, faults, a ledger."""
