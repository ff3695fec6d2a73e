from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_program_ends_with_whoever_started_it_and_leaves_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "of the program"
    folder.mkdir()
    (tmp_path / "waits_for_a_test.py").write_text(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit())\n"
        "print(sys.argv[1:], flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-m", "mulligan_testing.guarded", str(folder), "waits_for_a_test"]

    program = subprocess.Popen(
        [*command, "--port", "7"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdin is not None
    told = program.stdout.readline()
    there = folder.exists()
    program.stdin.close()
    program.wait(timeout=30)
    program.stdout.close()

    assert told == "['--port', '7']\n"
    assert there
    assert not folder.exists()
