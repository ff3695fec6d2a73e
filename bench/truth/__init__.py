"""Random agents on a remote with a ledger, against which all that is said of a turn is held."""
