"""Stands before a server and counts: `tap.py LEDGER SLOW COMMAND…`, all over standard streams.

Every call of a tool is written into the ledger when it is sent and when the server has answered.
While the file SLOW is there, answers of the tool that it names are kept back: what was asked for
has happened, and nobody has heard of it.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

LEDGER, SLOW = Path(sys.argv[1]), Path(sys.argv[2])
calls: dict[object, str] = {}


def note(what: str) -> None:
    with LEDGER.open("a") as file:
        file.write(f"{what}\n")


def hear(output: object) -> None:
    for line in output:  # type: ignore[attr-defined]
        try:
            said = json.loads(line)
        except ValueError:
            continue
        called = calls.pop(said.get("id"), "") if "method" not in said else ""
        if called:
            note(f"done {called}")
            while SLOW.exists() and called.startswith(SLOW.read_text()):
                time.sleep(0.01)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    os._exit(0)


def main() -> None:
    note(f"pid {os.getpid()}")
    with subprocess.Popen(
        sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        threading.Thread(target=hear, args=(server.stdout,), daemon=True).start()
        for line in sys.stdin.buffer:
            said = json.loads(line)
            if said.get("method") == "tools/call":
                given = said["params"].get("arguments") or {}
                values = " ".join(str(value).replace("\n", " ") for value in given.values())
                calls[said["id"]] = f"{said['params']['name']} {values}"
                note(f"sent {calls[said['id']]}")
            if server.stdin is not None:
                server.stdin.write(line)
                server.stdin.flush()
        server.kill()


if __name__ == "__main__":
    main()
