"""No text, however odd, makes the checks slower than its length."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
from mulligan.checks.file import preset
from mulligan.types.reply import Reply

checks = preset("marketing")
pieces = [
    "[", "[a](", "[1]", "`", "``` ", "~~~", "<a", "_", "a_", "**", "|", "- ", "> ", "https://", "&",
    "(", "\\n", "1. ", '"', '" a', "\\t", "[a][", "<li", "=", ". ", "1", "1 ", "1,", "1.", "+1 ",
    "one ", "one-", "a@", "a.", "Aa ", "Aa of ", "? ", "$1 ", "1:00", "may 1 ", "1 may ", "-", "é",
    "might also want to know ", "delve", "digital ", "日", "word ",
]
for piece in pieces:
    text = piece * 10_000 + "x"
    for reply in (Reply(text=text, context=("one 1",)), Reply(text="1 x", context=(text,))):
        for check in checks:
            list(check(reply))
"""


@pytest.mark.full
def test_every_check_is_through_with_ten_thousand_pieces_of_anything() -> None:
    """Linear, it takes seconds; were one pattern quadratic, hours. The bound is for a busy day."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=240, check=False
    )

    assert done.returncode == 0, done.stderr
