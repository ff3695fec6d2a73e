"""Packages of strangers, for tests: installed into a folder, and seen by a process that has it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path, package: str, points: Mapping[str, Mapping[str, str]], *, source: str = ""
) -> Path:
    """Put a package where it can be imported, with the metadata that an installer writes."""
    folder.mkdir(exist_ok=True)
    (folder / f"{package}.py").write_text(source)
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    groups = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in points.items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    return folder


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process that has the folder's packages installed, with no other settings."""
    paths = (str(folder), *filter(None, sys.path))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN")}
    return subprocess.run(
        [sys.executable, *command],
        env={**clean, "PYTHONPATH": os.pathsep.join(paths), **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
