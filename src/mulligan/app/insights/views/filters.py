"""What part of a store a page is about: a span of time, a tool, an agent, a tenant."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

from mulligan.app.insights.figures import NOBODY, WINDOWS, name_tool
from mulligan.app.insights.series import SeriesStep
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.rollup import Slot


class Window(StrEnum):
    """A span of time up to now."""

    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"

    @property
    def length(self) -> timedelta:
        """As a duration."""
        return WINDOWS[self.value]

    @property
    def step(self) -> SeriesStep:
        """How finely it is drawn."""
        return SeriesStep.HOUR if self is Window.DAY else SeriesStep.DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewFilter:
    """What is asked for. `None` means every one."""

    window: Window = Window.WEEK
    tool: str | None = None
    """By its name, with its server and a slash before it where it has one."""
    agent: str | None = None
    tenant: str | None = None
    """By its identity in the store."""

    def fits(self, slot: Slot) -> bool:
        """Whether a slot's calls are asked for."""
        return (
            self.tool in (None, slot.tool, name_tool(slot))
            and self.agent in (None, slot.agent or NOBODY)
            and self.tenant in (None, slot.tenant)
        )

    def fits_call(self, *, tool: str, server: str = "", agent: str = "", tenant: str = "") -> bool:
        """The same, of a single call."""
        return self.fits(Slot(0, tenant, server, tool, agent))
