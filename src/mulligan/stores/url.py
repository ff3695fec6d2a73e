"""A store's URL as it may be shown."""

from __future__ import annotations

import re

_USER_AND_PASSWORD = re.compile(r"(?<=//)[^/?#]*@")
_PASSWORD = re.compile(r"(?i)((?:password|passfile|sslkey|sslpassword)\s*=\s*)[^&\s]*")


def without_credentials(url: str) -> str:
    """The URL without its user and password, wherever they stand."""
    return _PASSWORD.sub(r"\1…", _USER_AND_PASSWORD.sub("", url))
