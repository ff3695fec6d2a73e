from __future__ import annotations

import re

from mulligan.cli.main import build_parser
from mulligan_dashboard.sections import SECTIONS, SINGLE
from mulligan_dashboard.site import HERE


def test_every_view_has_a_page_of_its_own() -> None:
    shown = (*SECTIONS, *SINGLE)

    assert [each.name for each in shown if not (HERE / "templates" / each.template).is_file()] == []
    assert len({each.path for each in shown}) == len(shown)


def test_every_view_names_a_command_that_there_is() -> None:
    known = build_parser().format_help()

    for each in (*SECTIONS, *SINGLE):
        program, command, *_ = each.command.split()
        assert program == "mulligan"
        assert re.search(rf"^ +{command}\b", known, re.MULTILINE), each.command
