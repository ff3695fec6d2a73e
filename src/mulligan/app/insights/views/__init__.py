"""What one page shows, one frozen answer a view: the same for a page, for JSON and a command."""

from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.views import Views

__all__ = ["ViewFilter", "Views"]
