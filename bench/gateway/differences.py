"""What passes before a server and not before the gateway, and why that is as it should be."""

from __future__ import annotations

import re

IDS = "It looks at the ids or tokens that the server sees, which are the gateway's own."
LISTS = "It counts what the server is asked for, and the gateway asks for the list of tools itself."
PROGRESS = "It sends progress for a request that nobody has made, which nobody could be told of."
RESUMED = "The gateway's own HTTP side takes up no broken stream again."

REASONS: tuple[tuple[str, str], ...] = (
    (r"^server-sse|resum|sse-polling|sse-multiple-streams", RESUMED),
)
"""By what a check or test is called; the first that fits."""


def explain(name: str, said: str) -> str:
    """Why a difference is none of the gateway's making; empty: nobody has said."""
    found = (why for pattern, why in REASONS if re.search(pattern, f"{name} {said}"))
    return next(found, "")
