"""Every question a surface may ask, and every act it may take. Surfaces never open a store.

Names are handed on when they are first used: a command that reads the log needs no application.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mulligan.app.forgetting import forget_now
    from mulligan.app.insights.application import (
        build_worker,
        describe_missing,
        list_later,
        load_application,
        open_insights,
        read_now,
        settle_now,
    )
    from mulligan.app.insights.insights import Diagnosis, Insights, copy_store, migrate_store
    from mulligan.app.role_access import AccessList, RoleAccess

_HOMES = {
    "AccessList": "mulligan.app.role_access",
    "Diagnosis": "mulligan.app.insights.insights",
    "Insights": "mulligan.app.insights.insights",
    "RoleAccess": "mulligan.app.role_access",
    "build_worker": "mulligan.app.insights.application",
    "copy_store": "mulligan.app.insights.insights",
    "describe_missing": "mulligan.app.insights.application",
    "forget_now": "mulligan.app.forgetting",
    "list_later": "mulligan.app.insights.application",
    "load_application": "mulligan.app.insights.application",
    "migrate_store": "mulligan.app.insights.insights",
    "open_insights": "mulligan.app.insights.application",
    "read_now": "mulligan.app.insights.application",
    "settle_now": "mulligan.app.insights.application",
}

__all__ = [
    "AccessList",
    "Diagnosis",
    "Insights",
    "RoleAccess",
    "build_worker",
    "copy_store",
    "describe_missing",
    "forget_now",
    "list_later",
    "load_application",
    "migrate_store",
    "open_insights",
    "read_now",
    "settle_now",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
