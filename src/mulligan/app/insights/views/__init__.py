"""What one page shows, one frozen answer a view: the same for a page, for JSON and a command.

Names are handed on when they are first used: a command that needs one answer loads no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mulligan.app.insights.views.filters import ViewFilter
    from mulligan.app.insights.views.views import Views

_HOMES = {
    "ViewFilter": "mulligan.app.insights.views.filters",
    "Views": "mulligan.app.insights.views.views",
}

__all__ = ["ViewFilter", "Views"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
