"""A store's URL as it may be shown: only what is proven to be harmless."""

from __future__ import annotations

import re

from mulligan.core.runtime.late_pattern import compile_late

HIDDEN = "<store>"
"""Shown for a URL that nobody can prove to hold no password."""

_FILE = compile_late(r"(?:sqlite:/{0,4})?(?:[\w./ ~-]*\w\.(?:db|sqlite3?))?", re.ASCII)
_SCHEME = r"(?P<scheme>[a-z][a-z0-9+.-]*)://"
_HOST = r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_SERVER = compile_late(
    # An `@` behind the host would mean that the password holds a character that ends it.
    rf"{_SCHEME}(?:[^/?#\s]*@)?(?P<hosts>(?:{_HOST}(?:,{_HOST})*)?)"
    r"(?P<database>/[\w.-]*)?(?:\?[^@#\s]*)?",
    re.ASCII,
)


def strip_credentials(url: str) -> str:
    """Scheme, host and database of a URL, or a file's name; `<store>` when it is not that plain."""
    if url == "memory:" or _FILE.fullmatch(url):
        return url
    parts = _SERVER.fullmatch(url)
    if parts is None:
        return HIDDEN
    return f"{parts['scheme']}://{parts['hosts']}{parts['database'] or ''}"
