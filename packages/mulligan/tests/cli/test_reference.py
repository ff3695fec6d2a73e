from __future__ import annotations

from pathlib import Path

from mulligan.cli.reference import render_reference

PAGE = Path(__file__).parents[4] / "docs" / "cli.md"


def test_the_page_is_what_the_program_says_today() -> None:
    assert PAGE.read_text(encoding="utf-8").strip() == render_reference().strip(), "run `make docs`"
