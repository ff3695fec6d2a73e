"""What a stranger gets from `pip install mulligan`: the wheel, without any extra."""

from __future__ import annotations

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
from bench.hosts.extras import build_wheels

pytestmark = [pytest.mark.promise(10), pytest.mark.full]


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
def wheels(repo, tmp_path_factory) -> Path:
    """A folder with the sdist of every package but the compiled one, and the wheel made of it."""
    out = tmp_path_factory.mktemp("wheel")
    build_wheels(out, [each for each in repo.packages if each.name != "mulligan-fast"])
    return out


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
def elsewhere(repo, wheels, tmp_path_factory) -> Path:
    """The `bin` of a fresh environment with the base and what it depends on, and no more."""
    home = tmp_path_factory.mktemp("elsewhere")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # Copied rather than installed: the same files, and no network in the test.
    theirs = [each for each in repo.project["dependencies"] if "mulligan" not in each]
    for brought in base_distributions(theirs).values():
        for part in brought.files or []:
            if ".." in part.parts or "__pycache__" in part.parts:
                continue
            (site / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(part.locate(), site / part)
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--no-deps", "--no-index", "--find-links", wheels, "mulligan", "mulligan-dates"),
    )
    return python.parent


def alone(tmp_path: Path) -> dict[str, object]:
    """Run outside the checkout, with nothing of this environment to lean on."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MULLIGAN"))}
    return {"cwd": tmp_path, "env": {**clean, "HOME": str(tmp_path)}}


def test_each_wheel_holds_every_file_of_its_package_and_is_typed(repo, wheels):
    built = list(wheels.glob("*.whl"))
    found = {name for wheel in built for name in zipfile.ZipFile(wheel).namelist()}
    parts = {path: path.relative_to(repo.root).parts for path in repo.files()}
    # A stranger's package stands among the examples, and is no part of ours.
    ours = [path for path, p in parts.items() if p[2:3] == ("src",) and p[1] != "extension"]

    assert len(built) == len(repo.packages) - 1
    names = {repo.name(path).partition("/src/")[2] for path in ours}
    assert {name for name in names - found if "_fast/" not in name} == set()
    assert sum(name.endswith("/py.typed") for name in found) == len(built)


def test_every_public_name_can_be_had_without_extras(elsewhere, tmp_path):
    wanted = "from mulligan import *; import mulligan; print(mulligan.__file__)"

    found = run(elsewhere / "python", "-c", wanted, **alone(tmp_path))

    assert Path(found.strip()).is_relative_to(elsewhere.parent)


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

    assert said.strip().endswith('pip install "./packages/mulligan[anthropic]".')


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
    assert done.stderr.endswith("or in a checkout make demo.\n")
    assert done.stdout == ""
