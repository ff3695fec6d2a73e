"""What a newcomer runs in minutes starts no server: a file that does says so, and runs later."""

from __future__ import annotations

import re

from conftest import FULL

HEAVY = {
    "a browser": r"^\s*(?:from|import) playwright",
    "an engine": r"^(?:from|import) (?:temporalio|dbos)",
    "a framework": r"^(?:from|import) (?:langchain|langgraph|agents|fastmcp|google\.adk|strands)\b",
    "a server of calendars or mails": r"run_radicale|serve_mail|dovecot",
    "an environment or a wheel": r"-m\", \"venv\"|build_wheels?\(",
}
"""What takes seconds or a server, by how a file shows that it needs it."""


def find_untold(text: str) -> list[str]:
    needs = [what for what, shown in HEAVY.items() if re.search(shown, text, re.MULTILINE)]
    return [] if FULL.search(text) else needs


def test_a_file_that_needs_more_than_python_is_of_the_second_tier(repo):
    files = [
        *repo.root.glob("packages/*/tests/**/test_*.py"),
        *repo.root.glob("tests/**/test_*.py"),
    ]
    files = [file for file in files if file.name != "test_tiers.py"]

    assert len(files) > 200
    found = {str(file.relative_to(repo.root)): find_untold(file.read_text()) for file in files}
    assert {file: needs for file, needs in found.items() if needs} == {}
