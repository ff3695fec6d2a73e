"""A process that ends in the middle of a call, and another one of the same application after it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise(1)

APPLICATION = """
    import asyncio, json, os, sys
    from datetime import timedelta
    from pathlib import Path
    from mulligan import Effect, Mulligan
    from mulligan.types.action import ActionQuery

    folder, mode, declared = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    remote = folder / "remote.json"

    class Client:
        def __init__(self, **more):
            self.timeout, self.pid, self.requests = 30, os.getpid(), 0
            vars(self).update(more)

        def read(self, record=None):
            return json.loads(remote.read_text()) if remote.exists() else None

        def restore(self, record):
            remote.unlink()

        def send(self, title: str) -> str:
            self.requests += 1
            remote.write_text(json.dumps(title))
            if mode == "dies":
                os._exit(9)
            return title

    async def main():
        client = Client(**declared.pop("client", {}))
        async with Mulligan(f"sqlite:///{folder}/store.db", recover=False) as m:
            @m.tool(
                effect=Effect.REVERSIBLE, read=client.read, undo=client.restore, before=client.read,
                probe=client.read, key="key", remote={"lands_within": timedelta()}, **declared,
            )
            def send(title: str, key: str = "") -> str:
                return client.send(title)

            if mode == "dies":
                async def agent(turn):
                    return send(title="tea")
                await m.act("Send tea", agent)
            await m.recover()
            [action] = m._parts.store.journal.list_actions(ActionQuery(limit=9))
            print(json.dumps([action.state.value, str(action.detail.get("why", ""))]))

    asyncio.run(main())
"""


def run(folder: Path, mode: str, **declared: object) -> subprocess.CompletedProcess[str]:
    program = folder / "application.py"
    program.write_text(textwrap.dedent(APPLICATION))
    return subprocess.run(
        [sys.executable, program, folder, mode, json.dumps(declared)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def recover(folder: Path, **declared: object) -> tuple[str, str]:
    done = run(folder, "lives", **declared)
    assert done.returncode == 0, done.stderr
    state, why = json.loads(done.stdout.splitlines()[-1])
    return state, why


@pytest.mark.full
def test_an_application_with_other_counters_and_time_limits_takes_up_its_action(tmp_path: Path):
    assert run(tmp_path, "dies", client={"timeout": 30}).returncode == 9

    state, _ = recover(tmp_path, client={"timeout": 60, "region": "eu", "requests": 7})

    assert state not in ("intent", "unknown")


@pytest.mark.full
def test_with_a_declared_server_whatever_the_client_holds_is_no_part_of_it(tmp_path: Path) -> None:
    assert run(tmp_path, "dies", server="ann", client={"user": "a"}).returncode == 9

    state, _ = recover(tmp_path, server="ann", client={"user": "b"})

    assert state not in ("intent", "unknown")


@pytest.mark.full
def test_under_another_account_it_stays_open_and_says_why(tmp_path: Path) -> None:
    assert run(tmp_path, "dies", client={"user": "ann"}).returncode == 9

    state, why = recover(tmp_path, client={"user": "bob"})

    assert state == "unknown"
    assert "send acted for another account than here" in why


@pytest.mark.full
def test_without_its_tool_it_stays_open_and_says_why(tmp_path: Path) -> None:
    assert run(tmp_path, "dies").returncode == 9

    state, why = recover(tmp_path, name="post")

    assert state == "unknown"
    assert "This application has no tool 'send'" in why
