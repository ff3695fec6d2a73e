"""Pages made of templates, how figures read on them, and all views in one file for sharing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from markupsafe import escape as escape_html
from msgspec.structs import replace

from mulligan.codec import encode_json
from mulligan.insights.figures import Estimate
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.types.display import escape
from mulligan.types.values import is_identity, read_label
from mulligan_dashboard.sections import FILTERS, SECTIONS, Section
from mulligan_dashboard.security import Role, Sealer, Visitor

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
SHORTENED = 12
_BREAK = re.compile(r"(?<=[_/.:-])")
_STUB = re.compile(r"<str (\d+) #([0-9a-f]{4,64})>")
_OPTION = re.compile(r"--[a-z][a-z-]*")
DASH = "\u2013"
"""Where there is no figure."""
LONGEST = 20_000
"""Characters of one value that a page shows."""


def escape_foreign(value: object) -> object:
    """Whatever a page shows, made visible: nothing turns, hides or drives what stands beside it."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape(value if len(value) <= LONGEST else f"{value[:LONGEST]}…")
    return "" if value is None else value


def format_count(value: float | None) -> str:
    """`12,345`; large ones in thousands and millions."""
    if value is None:
        return DASH
    if value >= 1_000_000:
        return f"{value / 1_000_000:.1f} M"
    return f"{value / 1000:.1f} k" if value >= 100_000 else f"{value:,.0f}"


def format_share(value: float | None, digits: int = 1) -> str:
    """`97.2 %`, and a dash where nothing was counted."""
    if value is None:
        return DASH
    return f"{value * 100:.{digits}f} %" if 0 < value < 1 else f"{value * 100:.0f} %"


def format_interval(estimate: Estimate) -> str:
    """Where the true share lies: between which two."""
    if estimate.low is None or estimate.high is None:
        return "not enough data"
    return f"{estimate.low * 100:.1f} {DASH} {estimate.high * 100:.1f} %"


def format_ms(value: float | None) -> str:
    """A duration in milliseconds, as a person would say it."""
    if not value:
        return DASH
    if value < 1:
        return "< 1 ms"
    return f"{value:.0f} ms" if value < 1000 else format_seconds(value / 1000)


def format_seconds(value: float | None) -> str:
    """`4.2 s`, `3 min`, `2 h`."""
    if value is None:
        return DASH
    if value < 1:
        return format_ms(value * 1000) if value else "0 s"
    if value < 60:
        return f"{value:.1f} s"
    return _format_span(value)


def format_ago(at: datetime, now: datetime) -> str:
    """`5 min ago`."""
    seconds = (now - at).total_seconds()
    if seconds < 0:
        return f"in {_format_span(-seconds)}"
    return "just now" if seconds < 2 else f"{_format_span(seconds)} ago"


def format_time(at: datetime | str) -> str:
    """`2026-11-16 09:30` in UTC."""
    try:
        read = datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError:
        return str(at)
    return read.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def format_code(text: str) -> Markup:
    """A sentence whose parts in backticks are set as code."""
    if "`" not in text:
        return escape_html(escape_foreign(text))
    parts = [escape_html(escape_foreign(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("`").join(parts)
    coded = (
        Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in enumerate(parts)
    )
    return Markup("").join(coded)


def format_breaks(name: str) -> Markup:
    """A name that is broken after its signs, where it has to be, and not inside a word."""
    shown = str(escape_html(escape_foreign(name)))
    return Markup(_BREAK.sub("<wbr>", shown))  # noqa: S704 - it is escaped, and has a tag of ours


def format_options(text: str) -> Markup:
    """What is said of a command, whose options are not broken in two."""
    shown = str(escape_html(escape_foreign(text)))
    return Markup(_OPTION.sub(r'<span class="nowrap">\g<0></span>', shown))  # noqa: S704 - escaped


def build_badge(state: str) -> Markup:
    """Where something stands, in the colour of that standing."""
    name = escape_html(escape_foreign(str(state)))
    shown = name.replace("_", " ")
    return Markup(f'<span class="badge" data-state="{name}">{shown}</span>')  # noqa: S704 - escaped


def build_when(at: datetime, now: datetime) -> Markup:
    """How long ago something was, and under the pointer when."""
    shown = f'title="{format_time(at)} UTC">{format_ago(at, now)}'
    return Markup(f'<time datetime="{at.isoformat()}" {shown}</time>')  # noqa: S704 - figures


def build_chart(kind: str, names: Sequence[str], *columns: Sequence[Any]) -> str:
    """What a chart draws, as the text of an attribute: columns, the first of them times."""
    return encode_json({"kind": kind, "names": list(names), "columns": columns}).decode()


def list_columns(parts: Sequence[Any], *names: str) -> Iterator[list[Any]]:
    """What a chart draws of the parts of a span: when each begins, and these of its figures."""
    yield [part.at.timestamp() for part in parts]
    yield from ([attrgetter(name)(part) for part in parts] for name in names)


FORMATS: Mapping[str, Callable[..., str]] = {
    "count": format_count,
    "share": format_share,
    # A difference of shares: `+2.1 pp`.
    "points": lambda value: DASH if value is None else f"{value * 100:+.1f} pp",
    "interval": format_interval,
    "ms": format_ms,
    "seconds": format_seconds,
    "ago": format_ago,
    "time": format_time,
    # The beginning of an id, enough to tell two apart.
    # A day of the next month, by which what a person says of a rule may end.
    "next_month": lambda now: str((now.astimezone(UTC) + timedelta(days=30)).date()),
    "short": lambda text: text[:SHORTENED],
    "pretty": lambda value: json.dumps(
        json.loads(encode_json(value)), indent=2, ensure_ascii=False
    ),
    # A value in one line: text as it is, the rest as JSON.
    "inline": lambda value: value if isinstance(value, str) else encode_json(value).decode(),
    # Whether a field has it as it is: what others made unreadable would be written as it is shown.
    "is_plain": lambda text: escape_foreign(text) == text,
    "words": lambda name: str(name).replace("_", " "),
    # The readable name behind a stored identity.
    "label": lambda name: read_label(name) if is_identity(name) else name,
    "code": format_code,
    "breaks": format_breaks,
    # What the log hides, as a person would say it; equal ones have equal marks.
    "stubs": lambda text: _STUB.sub(lambda f: f"({f[1]} characters, {f[2][:4]})", text),
    "options": format_options,
    "sentence": lambda text: text[:1].upper() + text[1:],
}


def list_scopes(tool: str, agent: str) -> list[tuple[str, dict[str, str]]]:
    """What a person may say of a rule about: the narrowest first, with the words for it."""
    scopes = {f"of {tool}": {"tool": tool}, f"by {agent}": {"agent": agent}}
    known = {text: words for text, words in scopes.items() if "" not in words.values()}
    both = {" ".join(known): {"tool": tool, "agent": agent}} if len(known) > 1 else {}
    return [(escape(text), words) for text, words in (both | known | {"all": {}}).items()]


def _format_span(seconds: float) -> str:
    for length, unit in _STEPS:
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return "0 s"


HERE = Path(__file__).parent


def build_environment() -> Environment:
    """Templates that escape all they show, and refuse a name that is not there."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_foreign,
        # They come with the package and do not change.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FORMATS)
    environment.globals.update(
        chart=build_chart,
        badge=build_badge,
        when=build_when,
        columns=list_columns,
        scopes=list_scopes,
        Role=Role,
    )
    return environment


class Site:
    """Renders pages."""

    def __init__(
        self, insights: Insights, *, sealer: Sealer, read_mark: Callable[[], str] = lambda: ""
    ) -> None:
        self._insights = insights
        self._sealer = sealer
        self._read_mark = read_mark
        self._environment = build_environment()

    def render(
        self, section: Section, asked: ViewRequest, *, visitor: Visitor, layout: str = "layout.html"
    ) -> str:
        """The page of a view, for a visitor."""
        made_at = self._read_mark()  # first: what changes meanwhile has to be told
        may_decide = visitor.role.covers(Role.DECIDE)
        view = section.read(self._insights, replace(asked, decides=may_decide))
        said = {name: getattr(asked.filter, name) for name in FILTERS}
        if asked.filter.window is Window.WEEK:
            del said["window"]
        kept = {name: str(value) for name, value in said.items() if value}
        unchanged = f"?{urlencode(kept)}" if kept else ""

        def link(path: str, **changes: object) -> str:
            """An address that keeps the filters of this one, but for what changes."""
            if not changes:
                return path + unchanged
            said = {**kept, **{name: str(value) for name, value in changes.items() if value}}
            dropped = {name for name, value in changes.items() if not value}
            query = urlencode({n: v for n, v in said.items() if n not in dropped})
            return f"{path}?{query}" if query else path

        narrowed = {name: asked.read_word(name) for name in section.words if not section.one}
        return self._environment.get_template(section.template).render(
            layout=layout,
            view=view,
            asked=asked,
            section=section,
            sections=SECTIONS,
            link=link,
            narrowed=narrowed,
            names=self._insights.list_names(),
            windows=list(Window),
            now=self._insights.clock(),
            visitor=visitor,
            may_decide=may_decide,
            may_change=visitor.role.covers(Role.ADMIN),
            made_at=made_at,
            # A session's cookie alone gives no key to act.
            form_token="" if visitor.nonce else self._sealer.make_form_token(visitor),
            open_count=len(self._insights.list_open(ViewFilter())),
            all_open=self._insights.has_all_open(),
        )

    def render_plain(self, template: str, **context: Any) -> str:
        """A page without a view: for errors and unknown visitors."""
        return self._environment.get_template(template).render(**context)


def render_report(insights: Insights, window: Window) -> str:
    """The pages of all views in one document, read-only."""
    insights.thorough.read_latest(patience=None)
    site = Site(insights, sealer=Sealer())
    asked = ViewRequest(filter=ViewFilter(window=window))
    reader = Visitor(name="", role=Role.LOOK)
    # Nothing can be looked for in a file.
    sections = [section for section in SECTIONS if section.name != "search"]
    sheets = [
        site.render(section, asked, visitor=reader, layout="sheet.html") for section in sections
    ]
    script = _read("uplot/uPlot.iife.min.js") + "\n" + _read("app.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return site.render_plain(
        "report.html",
        at=insights.clock(),
        window=window.value,
        sections=sections,
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
