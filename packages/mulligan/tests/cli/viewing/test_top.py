from __future__ import annotations

import json
import re

from tests.cli.running import run


def test_the_overview_fits_a_terminal(store, capsys) -> None:
    code, out, _ = run(capsys, "top", "--once", "--store", store)

    assert code == 0
    assert re.search(r"24h\s*│\s*2\s*│\s*50\.0%", out)
    assert "Nothing is open." in out


def test_the_overview_is_there_for_programs_too(store, capsys) -> None:
    code, out, _ = run(capsys, "top", "--json", "--store", store)

    assert code == 0
    day = json.loads(out)["windows"][0]
    assert (day["window"], day["now"]["calls"]) == ("24h", 2)
