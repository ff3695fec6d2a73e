"""What tests with real clients need."""

from __future__ import annotations

import pytest

PATIENT = 120.0
"""Seconds; nobody waits so long but where a server takes a minute to start."""


@pytest.fixture
def patient_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """The official client asks for the newest revision, and after ten seconds without an answer
    takes an older one, with other results: on a busy machine a server is not there by then."""
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", PATIENT)
