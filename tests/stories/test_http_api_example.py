"""The example of the HTTP API in TypeScript, run by Node against a server."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from mulligan import Mulligan
from mulligan.types.log import LogQuery
from mulligan_gateway.api import create_api
from tests.gateway.web import serve_app

EXAMPLE = Path(__file__).parents[2] / "examples" / "http_api" / "mulligan.ts"
NODE = shutil.which("node") or ""


def strip_types(source: str) -> str:
    """TypeScript as Node 20 can run it; what it cannot strip so is a mistake in the example."""
    source = re.sub(r"(?ms)^interface \w+ \{.*?^\}\n", "", source)
    source = re.sub(r"(?m)^(?:type|declare) .*\n", "", source)
    return re.sub(r"(?m)^(\s*(?:export )?const \w+): .+? = ", r"\1 = ", source)


def find_principal(headers: Mapping[str, str]) -> Any:
    assert headers["authorization"] == "Bearer t"
    return "ann"


def test_only_types_are_stripped():
    source = (
        'interface A {\n  b: string;\n}\nconst f: (a: A) => void = (a) => {};\nf({ b: ": = " });\n'
    )

    assert strip_types(source) == 'const f = (a) => {};\nf({ b: ": = " });\n'


@pytest.mark.skipif(not NODE, reason="Node is not installed")
async def test_the_example_mends_a_call_and_reports_it(tmp_path):
    script = tmp_path / "mulligan.mjs"
    script.write_text(strip_types(EXAMPLE.read_text()))
    async with Mulligan("memory:") as m:
        app = Starlette(routes=create_api(m, find_principal=find_principal))
        async with serve_app(app) as url:
            node = await asyncio.create_subprocess_exec(
                NODE, str(script), env={**os.environ, "MULLIGAN_URL": url, "MULLIGAN_TOKEN": "t"},
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            said, complained = await asyncio.wait_for(node.communicate(), 60)
        m.flush()
        rows = m.insights.log(LogQuery(oldest_first=True))

    assert complained.decode() == ""
    assert said.decode() == ('repair: {"order_id":"W17","limit":50} -> W17: pending (unchecked)\n')
    assert [row.outcome for row in rows] == ["failure", "success"]
