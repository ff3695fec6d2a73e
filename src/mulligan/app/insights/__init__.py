"""Every question a surface may ask, and every act it may take. Surfaces never open a store."""

from mulligan.app.insights.application import (
    build_worker,
    list_later,
    load_application,
    open_insights,
    read_now,
    settle_now,
)
from mulligan.app.insights.insights import Diagnosis, Insights, copy_store, migrate_store
from mulligan.app.role_access import AccessList, RoleAccess

__all__ = [
    "AccessList",
    "Diagnosis",
    "Insights",
    "RoleAccess",
    "build_worker",
    "copy_store",
    "list_later",
    "load_application",
    "migrate_store",
    "open_insights",
    "read_now",
    "settle_now",
]
