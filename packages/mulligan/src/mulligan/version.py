"""Which Mulligan this is."""

from __future__ import annotations

VERSION = "0.1.0"
"""As in `pyproject.toml`; reading it from what is installed would take longer than to import us."""
