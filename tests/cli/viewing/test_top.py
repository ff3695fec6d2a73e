from __future__ import annotations

import re

from tests.cli.running import run


def test_the_overview_fits_a_terminal(store, capsys) -> None:
    code, out, _ = run(capsys, "top", "--once", "--store", store)

    assert code == 0
    assert re.search(r"24h\s*│\s*2\s*│\s*50\.0%", out)
    assert "Nothing is open." in out
