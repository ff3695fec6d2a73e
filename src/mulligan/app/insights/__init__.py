"""Every question a surface may ask, and every act it may take. Surfaces never open a store."""

from mulligan.app.insights.application import load_application, settle_now
from mulligan.app.insights.insights import Diagnosis, Insights, migrate_store

__all__ = ["Diagnosis", "Insights", "load_application", "migrate_store", "settle_now"]
