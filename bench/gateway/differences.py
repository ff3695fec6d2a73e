"""What passes before a server and not before the gateway, and why that is as it should be."""

from __future__ import annotations

import re

SHARED = (
    "It looks at the id that the server sees. In the revision without sessions all connections of "
    "one client share their server, and ids that two of them may use are the gateway's own."
)
LISTS = (
    "It counts what the server is asked for. Of a client that calls without having listed, the "
    "gateway asks for the tools itself: it holds the call against them."
)
RESUMED = "The gateway's own HTTP side takes up no broken stream again."

REASONS: tuple[tuple[str, str], ...] = (
    (r"^server-sse|resum|sse-polling|sse-multiple-streams", RESUMED),
    (r"subscription_id_is_the_listen_request_id_the_server_saw\[streamable-http-2026", SHARED),
    (r"output_schema_cache_via_an_implicit_tools_list", LISTS),
)
"""By what a check or test is called; the first that fits."""


def explain(name: str, said: str) -> str:
    """Why a difference is none of the gateway's making; empty: nobody has said."""
    found = (why for pattern, why in REASONS if re.search(pattern, f"{name} {said}"))
    return next(found, "")
