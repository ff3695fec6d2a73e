from __future__ import annotations

import re

from mulligan import Mulligan
from mulligan.insights.filters import Window
from mulligan_dashboard.sections import SECTIONS
from mulligan_dashboard.site import render_report


def test_a_report_has_every_view_and_loads_nothing(lived: Mulligan) -> None:
    page = render_report(lived.insights, Window.MONTH)

    assert [s.name for s in SECTIONS if f'<section class="sheet" id="{s.name}">' not in page] == []
    assert "script-src &#39;sha256-" in page
    assert re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", page) == []
    assert page.count("<script>") == 1
