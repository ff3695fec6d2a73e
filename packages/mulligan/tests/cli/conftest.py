"""A store as an application leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan import Effect, Mulligan


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a success, a failure that was repaired, and one that was not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULLIGAN_STORE", raising=False)
    url = f"sqlite:///{tmp_path}/family.db"
    answers = iter([ConnectionRefusedError("no"), 7])
    with Mulligan(url) as m:

        @m.tool(effect=Effect.READ)
        def find(limit: int) -> int:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        @m.tool
        def share(token: str) -> None:
            raise PermissionError(f"not with {token}")

        with m.turn(agent="planner", context="planning"):
            find(3)
            with pytest.raises(PermissionError):
                share("hunter2-is-my-token")
    return url
