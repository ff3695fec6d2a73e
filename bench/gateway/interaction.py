"""The official SDK's own interaction tests, as they are and with a gateway in every connection."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from bench.missing import MissingError
from bench.peers import BASE, BESIDE, ROOT, SOURCES, build_python

NEEDS = (
    "blockbuster",
    "coverage",
    "logfire",
    "inline-snapshot",
    "dirty-equals",
    "trio",
    "pytest",
    "pytest-examples",
)
PATIENT, PLUGIN = "bench.gateway.patient_plugin", "bench.gateway.interaction_plugin"
LONGEST = 3_600

Outcomes = dict[str, str]
"""By test: empty where it passed, else the last line of what it said."""


def install_sources(folder: Path, *, install: bool) -> Path:
    """The sources of the SDK that is installed here, with its tests, as PyPI has them."""
    release = f"mcp-{version('mcp')}"
    if (folder / release).is_dir():
        return folder / release
    if not install:
        raise MissingError(f"The sources of {release} are not in {folder}: no --no-install.")
    with tempfile.TemporaryDirectory() as place:
        wanted = ["--no-deps", "--no-binary", ":all:", "-d", place, release.replace("-", "==")]
        command = [sys.executable, "-m", "pip", "download", "--quiet", *wanted]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise MissingError(f"The sources of {release} cannot be had: pip says no.")
        [packed] = Path(place).glob("*.tar.gz")
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return folder / release


def install_python(folder: Path, *, install: bool) -> Path:
    """An interpreter with this checkout, the SDK that is installed here, and what its tests use."""
    packages = ["-e", str(BASE), *BESIDE, f"mcp=={version('mcp')}", *NEEDS]
    return build_python(
        folder, packages, wanted="\n".join(packages), name="The SDK's tests", install=install
    )


def run_tests(python: Path, sources: Path, *, through: bool) -> Outcomes:
    """What each test came to."""
    with tempfile.TemporaryDirectory(prefix="mulligan-interaction-") as folder:
        report = Path(folder) / "report.xml"
        more = ["-p", PATIENT, *(["-p", PLUGIN] if through else [])]
        subprocess.run(
            [str(python), "-m", "pytest", "-q", *more, "tests/interaction", f"--junitxml={report}"],
            cwd=sources,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((*SOURCES, str(ROOT)))},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST,
            check=False,
        )
        if not report.is_file():
            raise MissingError("The SDK's tests have not run: see pytest in its sources.")
        found = read_outcomes(report)
    if not found:
        raise MissingError("None of the SDK's tests has run: see pytest in its sources.")
    return found


def read_outcomes(report: Path) -> Outcomes:
    """From pytest's XML; what was skipped says nothing."""
    found: Outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        broken = case.find("failure")
        broken = case.find("error") if broken is None else broken
        name = f"{case.get('classname', '').removeprefix('tests.interaction.')}::{case.get('name')}"
        said = "" if broken is None else broken.get("message", "failed")
        found[name] = said.strip().splitlines()[0][:160] if said else ""
    return found
