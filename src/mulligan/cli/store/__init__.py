"""The store itself: how it is, its version, who sees what."""
