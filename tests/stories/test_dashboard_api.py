"""The JSON interface as strangers use it: requests out of its own description, odd ones too."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pytest
import schemathesis
from httpx import Response
from hypothesis import HealthCheck, given, settings
from schemathesis.core import NotSet
from starlette.testclient import TestClient

from mulligan import Mulligan
from mulligan_dashboard.app import create_app
from mulligan_dashboard.sections import ACTS, SECTIONS, SINGLE
from mulligan_dashboard.security import PageAccess, Role, Sealer, TokenKind, Visitor
from mulligan_dashboard.serving import LINK_LIFE
from tests.dashboard.stage import Stage, run_apart

CASES = int(os.environ.get("MULLIGAN_TEST_API_CASES", "200"))
"""In all; 6000 for the long form."""


def send(client: TestClient, case: schemathesis.Case) -> Response:
    """Make a case's request: its own client leans on a library that others replace."""
    body = None if isinstance(case.body, NotSet) else case.body
    raw = body if isinstance(body, bytes | str) or body is None else json.dumps(body)
    path = quote(case.formatted_path, safe="/%")
    sent = {"content-type": "application/json"} if case.method == "POST" else {}
    return client.request(
        case.method, path, params=dict(case.query or {}), content=raw or "", headers=sent
    )


@pytest.mark.full
def test_no_request_meets_with_an_error_of_the_server(tmp_path: Path) -> None:
    sealer, seen = Sealer(), []
    admin = Visitor(name="Mum", role=Role.ADMIN)
    token = sealer.write(admin, kind=TokenKind.LINK, life=LINK_LIFE)
    key = {"authorization": f"Bearer {token}"}
    with ExitStack() as stack:
        m = stack.enter_context(Mulligan(f"sqlite:///{tmp_path}/office.db", recover=False))
        run_apart(Stage(m).fill())
        app = create_app(
            m.insights, access=PageAccess(sealer=sealer, hosts=frozenset({"localhost"}))
        )
        client = stack.enter_context(TestClient(app, base_url="http://localhost", headers=key))
        schema = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
        operations = [found.ok() for found in schema.get_all_operations()]
        for operation in operations:

            @settings(
                max_examples=max(5, CASES // len(operations)),
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy())
            def try_one(case) -> None:
                answer = send(client, case)
                seen.append(answer.status_code)
                assert answer.status_code < 500, (case.method, case.path, answer.text[:500])

            try_one()

    assert len(operations) == len(SECTIONS) + len(SINGLE) + len(ACTS)
    assert len(seen) >= len(operations) * 5
    assert {200, 404} <= set(seen)
