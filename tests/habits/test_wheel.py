"""What a stranger gets from `pip install mulligan`: the wheel, without any extra."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bench.hosts.drivers import HOSTS

pytestmark = pytest.mark.promise(10)


def run(*command: object, **how) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **how,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repo, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    # With the build tool at hand, nothing is fetched.
    at_hand = importlib.util.find_spec("hatchling") is not None
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out),
        *(["--no-build-isolation"] if at_hand else []),
        repo.root,
    )
    (built,) = out.glob("*.whl")
    return built


def base_distributions(requirements: list[str]) -> dict[str, Distribution]:
    """What the requirements bring when no extra is asked for, and what those bring."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        wanted = waiting.pop()
        if wanted.name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[wanted.name] = distribution(wanted.name)
        waiting += [Requirement(line) for line in found[wanted.name].requires or []]
    return found


@pytest.fixture(scope="module")
def elsewhere(repo, wheel, tmp_path_factory) -> Path:
    """The `bin` of a fresh environment with the wheel and the base dependencies, and no more."""
    home = tmp_path_factory.mktemp("elsewhere")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # Copied rather than installed: the same files, and no network in the test.
    for brought in base_distributions(repo.pyproject["project"]["dependencies"]).values():
        for part in brought.files or []:
            if ".." in part.parts or "__pycache__" in part.parts:
                continue
            (site / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(part.locate(), site / part)
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--no-deps", "--no-index", wheel),
    )
    return python.parent


def alone(tmp_path: Path) -> dict[str, object]:
    """Run outside the checkout, with nothing of this environment to lean on."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MULLIGAN"))}
    return {"cwd": tmp_path, "env": {**clean, "HOME": str(tmp_path)}}


def test_the_wheel_holds_every_file_of_the_package(repo, wheel):
    ours = {
        p.relative_to(repo.src.parent).as_posix() for p in repo.files() if repo.src in p.parents
    }

    assert ours <= set(zipfile.ZipFile(wheel).namelist())
    assert "mulligan/py.typed" in ours


def test_it_imports_without_extras(elsewhere, tmp_path):
    found = run(elsewhere / "python", "-c", "import mulligan; print(mulligan.__file__)",
                **alone(tmp_path))  # fmt: skip

    assert Path(found.strip()).is_relative_to(elsewhere.parent)


def test_every_public_name_can_be_had_without_extras(elsewhere, tmp_path):
    run(elsewhere / "python", "-c", "from mulligan import *", **alone(tmp_path))


@pytest.mark.parametrize("command", [["mulligan"], ["python", "-m", "mulligan"]])
def test_the_command_answers_without_extras(elsewhere, tmp_path, command):
    said = run(elsewhere / command[0], *command[1:], "--help", **alone(tmp_path))

    assert re.search(r"usage: .*mulligan", said, re.IGNORECASE)


def test_the_environment_has_no_extras(elsewhere, tmp_path):
    absent = "import importlib.util as u; print([n for n in {!r} if u.find_spec(n)])"
    extras = ["psycopg", "cryptography", "pydantic_ai", "pytest"]

    found = run(elsewhere / "python", "-c", absent.format(extras), **alone(tmp_path))

    assert found.strip() == "[]"


def test_a_judge_without_its_extra_says_what_to_install(elsewhere, tmp_path):
    wanted = """
from mulligan.types.errors import MissingExtraError
from mulligan.judge import ModelJudge
try:
    ModelJudge("anthropic:claude", render=print, scrub=print)
except MissingExtraError as missing:
    print(missing)
"""

    said = run(elsewhere / "python", "-c", wanted, **alone(tmp_path))

    assert said.strip().endswith('needs an extra: pip install "mulligan[anthropic]".')


def test_a_host_without_its_extra_says_what_to_install(elsewhere, tmp_path):
    wanted = """
from mulligan import Mulligan
from mulligan.types.errors import MissingExtraError
m = Mulligan("memory:")
for host in {!r}:
    try:
        getattr(m, "for_" + host.replace("-", "_"))()
    except MissingExtraError as missing:
        print(str(missing).split('"')[1])
"""

    said = run(elsewhere / "python", "-c", wanted.format([*HOSTS]), **alone(tmp_path))

    assert said.split() == [f"mulligan[{host}]" for host in HOSTS]


def test_the_demo_without_its_extra_says_what_to_install(elsewhere, tmp_path):
    done = subprocess.run(
        [elsewhere / "mulligan", "demo"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **alone(tmp_path),
    )

    assert done.returncode == 2
    assert done.stderr.endswith('needs an extra: pip install "mulligan[demo]".\n')
    assert done.stdout == ""
