"""Pages made of templates: what every one of them needs around its view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mulligan.app.insights.views.filters import Window
from mulligan.app.insights.views.views import Views
from mulligan.dashboard.formats import (
    FORMATS,
    build_badge,
    build_chart,
    build_when,
    compute_seconds,
    escape_foreign,
)
from mulligan.dashboard.queries import FILTERS, ViewRequest
from mulligan.dashboard.sections import SECTIONS, Section
from mulligan.dashboard.security.roles import Role
from mulligan.dashboard.security.sealing import Sealer, Visitor

HERE = Path(__file__).parent


def build_environment() -> Environment:
    """Templates that escape all they show, and refuse a name that is not there."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_foreign,
        # They come with the package: nobody has to look whether one has changed.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FORMATS)
    environment.globals.update(
        chart=build_chart, badge=build_badge, when=build_when, at_seconds=compute_seconds, Role=Role
    )
    return environment


class Site:
    """Renders pages."""

    def __init__(
        self, views: Views, *, sealer: Sealer, read_mark: Callable[[], str] = lambda: ""
    ) -> None:
        self._views = views
        self._sealer = sealer
        self._read_mark = read_mark
        self._environment = build_environment()

    def render(
        self, section: Section, asked: ViewRequest, *, visitor: Visitor, layout: str = "layout.html"
    ) -> str:
        """The page of a view, for somebody."""
        made_at = self._read_mark()  # first: what changes meanwhile has to be told
        may_decide = visitor.role.covers(Role.DECIDE)
        view = section.read(self._views, replace(asked, decides=may_decide))
        kept = _list_kept(asked)
        unchanged = f"?{urlencode(kept)}" if kept else ""

        def link(path: str, **changes: object) -> str:
            """An address that keeps the filters of this one, but for what changes."""
            if not changes:
                return path + unchanged
            said = {**kept, **{name: str(value) for name, value in changes.items() if value}}
            dropped = {name for name, value in changes.items() if not value}
            query = urlencode({n: v for n, v in said.items() if n not in dropped})
            return f"{path}?{query}" if query else path

        return self._environment.get_template(section.template).render(
            layout=layout,
            view=view,
            asked=asked,
            section=section,
            sections=SECTIONS,
            link=link,
            names=self._views.list_names(),
            windows=list(Window),
            now=self._views.insights.clock(),
            visitor=visitor,
            may_decide=may_decide,
            may_change=visitor.role.covers(Role.ADMIN),
            made_at=made_at,
            # Who has only a session's cookie finds no key to act in the page.
            form_token="" if visitor.nonce else self._sealer.make_form_token(visitor),
            open_count=self._views.count_open(),
        )

    def render_plain(self, template: str, **context: Any) -> str:
        """A page without a view: for errors, and for who is not known."""
        return self._environment.get_template(template).render(**context)


def _list_kept(asked: ViewRequest) -> Mapping[str, str]:
    said = {name: getattr(asked.filter, name) for name in FILTERS}
    if asked.filter.window is Window.WEEK:
        said.pop("window")
    return {name: str(value) for name, value in said.items() if value}
