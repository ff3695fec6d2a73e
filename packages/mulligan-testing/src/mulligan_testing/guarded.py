"""A program that ends with whoever started it: `python -m mulligan_testing.guarded FOLDER MODULE`.

It runs the module with the options that follow, until its own standard input ends: with the
process that holds the other end, however that one ends. The folder is gone afterwards.
"""

from __future__ import annotations

import os
import runpy
import shutil
import signal
import sys
import threading


def end_with_input() -> None:
    """Wait until standard input ends, then ask this process to."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run the program."""
    _, folder, module, *options = sys.argv
    threading.Thread(target=end_with_input, daemon=True).start()
    sys.argv = [module, *options]
    try:
        runpy.run_module(module, run_name="__main__")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
