"""Text from tools, agents and lessons in a browser: whatever it says, it is shown and never run."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice, product

import pytest
from playwright.sync_api import Page, expect

from mulligan import Arguments, Effect, Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.open_actions import read_open
from mulligan.insights.patterns import read_patterns
from mulligan.insights.turns import read_turns
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Lesson, LessonState, Remedy
from mulligan_dashboard.app import render_csv
from mulligan_dashboard.sections import SECTIONS
from mulligan_dashboard.site import render_report
from tests.cli.running import run
from tests.dashboard.conftest import Visit, browser, m, visit, visits
from tests.dashboard.stage import run_apart

pytestmark = [pytest.mark.promise(8), pytest.mark.full]

__all__ = ["browser", "m", "visit", "visits"]

HIT = "window.hit=1"
CORES = (
    f"<script>{HIT}</script>", f"<img src=x onerror={HIT}>", f"<svg/onload={HIT}>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'>", f"<a href=javascript:{HIT}>x</a>",
    f"<details open ontoggle={HIT}>", f"<math><mi//xlink:href='data:x,<script>{HIT}</script>'>",
    f"<style>@import '//x'</style><b style=x:expression({HIT})>", f"<body onload={HIT}>",
    f"<meta http-equiv=refresh content='0;url=javascript:{HIT}'>",
    f"<base href=javascript:{HIT}//>",
    f"<form action=javascript:{HIT}><button>go</button></form>", "{{ 7 * 7 }}{% raw %}",
    f"${{{HIT}}}", "\x1b[31mred\x1b]0;title\x07", "\u202egnp.exe\u2066\u200b\ufeff",
    "\ud800 lone", "\x00nul\x08", "A" * 30_000, "ﷺ" * 2_000,
)  # fmt: skip
COATS = (
    "{}", "\">{}", "'>{}", "--></script>{}", "</title></textarea>{}", "`{}`", "&lt;{}", "]]>{}",
    "\n{}\n", "%3C{}", "\\u003c{}", "{}{}", "</dialog>{}", "</pre>{}<pre>", "<!--{}-->",
)  # fmt: skip
TEXTS = [
    coat.replace("{}", core)
    for (row, coat), (column, core) in product(enumerate(COATS), enumerate(CORES))
    if (row + column) % 3 == 0
]
"""Every text in five coats, and every coat on six or seven texts."""


def make_lessons(texts: Sequence[str]) -> Iterator[Lesson]:
    for number, text in enumerate(texts):
        plain = text.encode("utf-8", "replace").decode().replace("\x00", "")
        yield Lesson(
            id=f"hostile{number}", version=1, tool=plain[:60], error_class=ErrorClass.VALIDATION,
            when=plain, when_not=plain, statement=plain, mistake=plain, correction=plain,
            example=(plain, plain), remedy=Remedy(), state=LessonState.ACTIVE, why=plain, by="x",
            agents=(plain[:60],), learned_at=datetime.now(UTC),
        )  # fmt: skip


FORMULAS = (
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "\r=1+1", " =1+1", "\n=1+1",
    "\ufeff=1+1", "\uff1d1+1", '"=1+1"', '",=1+1',
)  # fmt: skip
"""What a spreadsheet would compute, did it take them for its own."""


async def pour_in(m: Mulligan, texts: Sequence[str] = TEXTS) -> None:
    """Every text as an argument, an error, an agent, a context, a result and a lesson."""

    @m.tool(arguments=Arguments(allow=("text",)))
    def repeat(text: str, loud: bool) -> str:
        if loud:
            raise ValueError(text)
        return text

    @m.tool(effect=Effect.IRREVERSIBLE, describe="Send {text}")
    async def send(text: str) -> None: ...

    for text in texts:
        async with m.turn(text, agent=text[:200], context=text[:200]):
            repeat(text, False)
            with contextlib.suppress(ValueError):  # it is to be seen on a page
                repeat(text, True)
            await send(text)
    m.insights.store.failures.append(list(make_lessons(texts)))
    m.flush()


def list_paths(m: Mulligan) -> list[str]:
    insights, month = m.insights, ViewFilter(window=Window.MONTH)
    opened = [
        f"/open/{i.id}"
        for i in islice(read_open(insights, ViewRequest(filter=month)).items, 0, 50, 6)
    ]
    turns = [
        f"/turns/{r.turn}"
        for r in islice(read_turns(insights, ViewRequest(filter=month)).rows, 0, 50, 6)
    ]
    rows = read_patterns(insights, ViewRequest(filter=month)).rows
    patterns = [f"/patterns/{row.fingerprint}" for row in islice(rows, 0, 50, 6)]
    lessons = [f"/lessons/hostile{number}" for number in range(0, len(TEXTS), 15)]
    pages = [f"/open?page={n}" for n in range(2, 6)] + [f"/lessons?page={n}" for n in range(2, 6)]
    return [*(each.path for each in SECTIONS), *pages, *opened, *turns, *patterns, *lessons]


def find_harm(page: Page) -> list[str]:
    """What a text has done to the page that shows it."""
    harm = page.evaluate("window.hit ? ['a script ran'] : []")
    foreign = "img[src=x], iframe, math, details[ontoggle], base, [action^=java], [href^=java]"
    harm += [f"an element came in: {n}" for n in [page.locator(foreign).count()] if n]
    if re.search("[\u202e\u2066\u200b\ufeff\x1b]", page.locator("body").inner_text()):
        harm.append("a sign that turns or hides text came through")
    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
        harm.append("wider than its screen")
    if page.locator("main h1").count() < 1:
        harm.append("broken")
    return [f"{page.url}: {each}" for each in harm]


def test_a_hundred_hostile_texts_are_shown_and_never_run(visit: Visit, m: Mulligan) -> None:
    run_apart(pour_in(m))
    page = visit(m)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    harm = []

    for path in list_paths(m):
        root = re.match(r"http://[^/]+", page.url)
        assert root is not None
        page.goto(root[0] + path)
        harm += find_harm(page)

    assert len(TEXTS) == 100
    assert (harm, dialogs) == ([], [])


def test_a_report_shows_them_and_runs_none(visit: Visit, m: Mulligan, tmp_path) -> None:
    run_apart(pour_in(m))
    file = tmp_path / "report.html"
    file.write_text(render_report(m.insights, Window.MONTH), encoding="utf-8")
    page = visit(m)

    page.goto(file.as_uri())

    expect(page.locator("h1").first).to_have_text("Mulligan")
    assert find_harm(page) == []
    assert page.locator(".chart canvas").count() > 3


DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What would drive a terminal, or hide or turn what stands beside it."""


def test_a_terminal_is_not_driven_by_them(m: Mulligan, capsys: pytest.CaptureFixture[str]) -> None:
    run_apart(pour_in(m, TEXTS[:20]))
    store = ("--store", m.insights.store.check_health().url)
    commands = (("open",), ("patterns",), ("stats",), ("lessons", "list"))

    shown = {command[0]: run(capsys, *command, *store) for command in commands}

    assert {code for code, _, _ in shown.values()} <= {0, 1}
    assert "actions need attention" in shown["open"][1]
    assert [name for name, (_, out, err) in shown.items() if DRIVES.search(out + err)] == []


def test_no_export_holds_anything_that_a_spreadsheet_would_run(m: Mulligan) -> None:
    run_apart(pour_in(m, (*FORMULAS, *TEXTS[:20])))
    insights, asked = m.insights, ViewRequest(filter=ViewFilter(window=Window.MONTH))
    exported = [each for each in SECTIONS if each.rows]

    cells = [
        cell
        for section in exported
        for line in csv.reader(
            io.StringIO(render_csv(getattr(section.read(insights, asked), section.rows)))
        )
        for cell in line
    ]

    formulas = [cell for cell in cells if re.match(r"\s*[=+@\-\uff0b\uff0d\uff1d\uff20]", cell)]
    assert [cell for cell in formulas if not re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)] == []
    assert sum("1+1" in cell for cell in cells) > 20
    assert DRIVES.findall("".join(cells)) == []
