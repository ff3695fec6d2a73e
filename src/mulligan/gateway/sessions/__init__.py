"""One client and its servers: greeted, listed, routed, and its calls brought to Mulligan."""
