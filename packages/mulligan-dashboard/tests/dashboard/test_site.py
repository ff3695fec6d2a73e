from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from mulligan_dashboard.site import HERE, build_environment


def test_no_page_has_script_or_style_in_its_own_text() -> None:
    pages = (HERE / "templates").glob("*.html")
    # A report is one file: it holds its script, whose hash is all that its policy lets run.
    texts = [page.read_text() for page in pages if page.name != "report.html"]

    assert [
        text for text in texts if "style=" in text or "onclick" in text or "|safe" in text
    ] == []
    assert all("<script>" not in text and "://" not in text for text in texts)


def test_all_that_is_shown_is_escaped() -> None:
    page = build_environment().from_string('<p title="{{ x }}">{{ x }}</p>')

    shown = page.render(x='"><script>alert(1)</script>\u202e')

    assert "<script>" not in shown
    assert "\u202e" not in shown


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        build_environment().from_string("{{ nothing }}").render()
