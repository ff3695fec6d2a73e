"""Every question a surface may ask, and every act it may take. Surfaces never open a store."""

from mulligan.app.insights.insights import Diagnosis, Insights, migrate_store

__all__ = ["Diagnosis", "Insights", "migrate_store"]
