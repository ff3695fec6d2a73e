from __future__ import annotations

import tomllib
from pathlib import Path

from mulligan.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_it_is_the_version_that_is_installed_and_that_its_compiled_part_is_made_for() -> None:
    ours, compiled = (
        tomllib.loads((ROOT / name).read_text())["project"]
        for name in ("pyproject.toml", "fast/pyproject.toml")
    )
    header = (ROOT / "fast" / "core" / "module.c").read_text()

    assert ours["version"] == compiled["version"] == VERSION
    assert f'#define MADE_FOR "{VERSION}"' in header
    assert ours["optional-dependencies"]["fast"] == [f"{compiled['name']}=={VERSION}"]
