"""Every page is somewhere in the site's list of pages, once, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_page_is_in_the_list_of_the_site_once() -> None:
    listed = re.findall(r": (\S+\.md)$", (ROOT / "site" / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = [each.relative_to(ROOT / "docs").as_posix() for each in (ROOT / "docs").rglob("*.md")]

    assert sorted(listed) == sorted(pages)
