"""The example of the gateway runs, and does what it says."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_takes_a_write_back_and_asks_before_a_message_is_sent(tmp_path):
    # Another's umask may let others write there, which a file of declarations must not allow.
    shutil.copytree(ROOT / "examples" / "gateway", tmp_path / "gateway")
    (tmp_path / "gateway" / "declarations.toml").chmod(0o600)

    done = subprocess.run(
        [sys.executable, str(tmp_path / "gateway" / "client.py")],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "update_note: wrote shopping"
    assert "undone" in lines[2]
    assert "milk, bread" in lines[3]
    assert "the person is asked" in done.stdout
    assert lines[-1] == "send_note: sent shopping to ann@example.com"
