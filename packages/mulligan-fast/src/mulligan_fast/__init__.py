"""The compiled part of Mulligan's redaction. `mulligan` looks for it; nobody else needs to."""
