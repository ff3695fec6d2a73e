"""What a visitor may do: each role may all that those before it may."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """How far somebody is trusted."""

    LOOK = "look"
    """See every page."""
    DECIDE = "decide"
    """Also approve, deny, undo and settle: about one action each."""
    ADMIN = "admin"
    """Also change what every agent does from now on: lessons, and the versions of tasks."""

    def covers(self, needed: Role) -> bool:
        """Whether this role may what that one may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)
