"""Every view in one file, for sharing: it loads nothing, and runs only its own script."""

from __future__ import annotations

import base64
import hashlib

from markupsafe import Markup

from mulligan.app.insights import Insights
from mulligan.app.insights.views.filters import ViewFilter, Window
from mulligan.app.insights.views.views import Views
from mulligan.dashboard.queries import ViewRequest
from mulligan.dashboard.sections import SECTIONS
from mulligan.dashboard.security.roles import Role
from mulligan.dashboard.security.sealing import Sealer, Visitor
from mulligan.dashboard.site import HERE, Site


def render_report(insights: Insights, window: Window) -> str:
    """The pages of every view below each other, for who may only look."""
    views = Views(insights)
    views.thorough.read_latest(patience=None)
    site = Site(views, sealer=Sealer())
    asked = ViewRequest(filter=ViewFilter(window=window))
    reader = Visitor(name="", role=Role.LOOK)
    sheets = [
        site.render(section, asked, visitor=reader, layout="sheet.html") for section in SECTIONS
    ]
    script = _read("uplot/uPlot.iife.min.js") + "\n" + _read("app.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return site.render_plain(
        "report.html",
        at=insights.clock(),
        window=window.value,
        sections=SECTIONS,
        # Made by templates that have escaped all they show, and by files of our own.
        sheets=[Markup(sheet) for sheet in sheets],  # noqa: S704
        style=Markup(_read("uplot/uPlot.min.css") + _read("style.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
        policy=policy,
    )


def _read(name: str) -> str:
    text = (HERE / "static" / name).read_text()
    # What would end its element early stands in neither; should a new release have it, it is seen.
    if "</script" in text or "</style" in text:
        raise ValueError(f"{name} cannot be put into a page.")
    return text
