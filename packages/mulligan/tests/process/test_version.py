from __future__ import annotations

import re
import tomllib
from pathlib import Path

from mulligan.version import VERSION

ROOT = Path(__file__).resolve().parents[4]
OURS = [*ROOT.glob("packages/*/pyproject.toml"), ROOT / "examples" / "demo" / "pyproject.toml"]


def test_all_packages_have_one_version_and_ask_for_each_other_in_it() -> None:
    told = [path.read_text() for path in OURS]
    header = (ROOT / "packages" / "mulligan-fast" / "core" / "module.c").read_text()

    assert {tomllib.loads(each)["project"]["version"] for each in told} == {VERSION}
    asked = re.findall(r'"mulligan[\w\[\]-]*==([^"]+)"', "".join(told))
    assert len(asked) > 8
    assert set(asked) == {VERSION}
    assert f'#define MADE_FOR "{VERSION}"' in header
