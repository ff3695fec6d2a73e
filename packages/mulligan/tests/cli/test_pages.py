from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.cli.reference import PAGES
from mulligan.runtime.declaration import Declared
from mulligan.settings import SETTINGS

DOCS = Path(__file__).parents[4] / "docs"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_says_today(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")

    assert page.strip() == PAGES[name]().strip(), "run `make docs`"


@pytest.mark.parametrize(
    ("page", "names"), [("settings", SETTINGS), ("tool_settings", Declared.__annotations__)]
)
def test_everything_that_can_be_set_has_a_row_that_says_what_it_is(page, names) -> None:
    lines = [line for line in PAGES[page]().splitlines() if line.startswith("| `")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    told = {row[0].strip("`"): row[-1] for row in rows}

    assert [name for name in names if not told[name].endswith(".")] == []
