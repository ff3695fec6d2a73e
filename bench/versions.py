"""Which versions a figure was measured with."""

from __future__ import annotations

import platform
from importlib.metadata import version

from mulligan.learning.fingerprint import FINGERPRINT_VERSION


def ours() -> dict[str, str]:
    """Mulligan's own, and what it measures with."""
    return {
        "mulligan": version("mulligan"),
        "fingerprint": str(FINGERPRINT_VERSION),
        "jsonschema-rs": version("jsonschema-rs"),
        "python": platform.python_version(),
    }
