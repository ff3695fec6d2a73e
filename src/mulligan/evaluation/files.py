"""Files that hold what people asked, and are their owner's alone."""

from __future__ import annotations

import os
from pathlib import Path

_OWNER_ONLY = 0o600


def write_private(path: Path, text: str) -> None:
    """Write text into a file that nobody else may read, also where it was there before."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        path.chmod(_OWNER_ONLY)
        file.write(text)
