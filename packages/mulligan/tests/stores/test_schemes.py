"""Stores by the scheme of their URL: ours, and those that other packages register."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mulligan.stores.opening import GROUP, OURS, Options, open_store
from mulligan.types.errors import ConfigurationError, UnknownStoreError
from mulligan_testing.store_contract.contract import find_opener

ROOT = Path(__file__).resolve().parents[2]

THEIR_STORE = '''
from mulligan.stores.sqlite import open_store as open_sqlite

class TheirStore:
    """Hands everything on to a store of ours, and says that it is theirs."""

    def __init__(self, url, options):
        path = url.removeprefix("theirs://")
        self._inner = open_sqlite(f"sqlite:///{path}/inner.db", options)

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def check_health(self, *, thorough=True):
        from msgspec.structs import replace
        found = self._inner.check_health(thorough=thorough)
        return replace(found, kind="theirs", url="theirs://")

def open_store(url, options):
    return TheirStore(url, options)
'''


def install(folder: Path, *, package: str, points: dict[str, str], source: str = "") -> Path:
    """Put a package where it can be imported, with the metadata that an installer writes."""
    folder.mkdir(exist_ok=True)
    (folder / f"{package}.py").write_text(source)
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}")
    return folder


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """One command in a process that has the folder's package installed."""
    paths = (str(folder), *filter(None, sys.path))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN")}
    return subprocess.run(
        [sys.executable, *command],
        env={**clean, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def theirs(tmp_path) -> Path:
    points = {"theirs": "their_store:open_store"}
    return install(tmp_path / "site", package="their_store", points=points, source=THEIR_STORE)


def test_ours_are_registered_as_anybody_elses_would_be():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["entry-points"][GROUP] == OURS


@pytest.mark.parametrize("url", ["memory:", "sqlite:///family.db"])
def test_opening_one_of_ours_reads_no_metadata(tmp_path, url):
    code = (
        "import sys; from mulligan.stores.opening import choose_opener;"
        f"choose_opener({url!r}); print('importlib.metadata' in sys.modules)"
    )

    done = run(tmp_path, "-c", code)

    assert done.stdout.strip() == "False", done.stderr


def test_the_command_line_works_with_a_store_that_a_package_registers(theirs):
    url = f"theirs://{theirs}"
    write = (
        "from mulligan import Mulligan\n"
        f"m = Mulligan({url!r})\n"
        "@m.tool\n"
        "def greet(name: str) -> str: return f'hello {name}'\n"
        "greet('Anna'); m.close()\n"
    )

    migrated = run(theirs, "-m", "mulligan", "migrate", "--store", url)
    written = run(theirs, "-W", "error", "-c", write)
    log = run(theirs, "-m", "mulligan", "log", "--store", url, "--json")
    doctor = run(theirs, "-m", "mulligan", "doctor", "--store", url, "--json")

    assert (migrated.returncode, migrated.stderr) == (0, "")
    assert "is up to date" in migrated.stdout
    assert (written.returncode, written.stderr) == (0, "")
    assert "greet" in log.stdout, log.stderr
    assert json.loads(doctor.stdout)["health"]["kind"] == "theirs", doctor.stderr


def test_an_unknown_scheme_names_those_that_are_registered_and_how_one_is(theirs, monkeypatch):
    monkeypatch.syspath_prepend(str(theirs))

    with pytest.raises(UnknownStoreError) as caught:
        open_store("redis://host/0")

    message = str(caught.value)
    assert "theirs:" in message
    assert 'entry point of the group "mulligan.stores"' in message


def test_nobody_takes_a_scheme_of_ours(tmp_path, monkeypatch):
    site = install(tmp_path / "site", package="thief", points={"memory": "thief:open_store"})
    monkeypatch.syspath_prepend(str(site))

    store = open_store("memory:")

    assert store.check_health().kind == "memory"
    store.close()


def test_two_packages_for_one_scheme_are_both_named(theirs, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(theirs))
    points = {"theirs": "other_store:open_store"}
    monkeypatch.syspath_prepend(
        str(install(tmp_path / "other", package="other_store", points=points))
    )

    with pytest.raises(ConfigurationError, match=r"other_store:open_store.*their_store:open_store"):
        open_store("theirs://x")


@pytest.mark.parametrize("value", ["not_there_at_all:open_store", "half_a_store:open_store"])
def test_a_store_that_cannot_be_loaded_is_named_with_the_reason(tmp_path, monkeypatch, value):
    site = install(tmp_path / "site", package="half_a_store", points={"half": value})
    monkeypatch.syspath_prepend(str(site))

    with pytest.raises(ConfigurationError, match="half: is registered as") as caught:
        open_store("half://x")

    assert value in str(caught.value)


def open_by_url(url: str, name: str = "family") -> str:
    return f"{url} {name}"


def open_as_registered(url: str, options: Options) -> tuple[str, Options]:
    return url, options


def test_the_contract_opens_by_url_and_as_registered():
    assert find_opener(f"{__name__}:open_by_url")("theirs://x") == "theirs://x family"
    assert find_opener(f"{__name__}:open_as_registered")("theirs://x")[1].migrate
    with_ours = find_opener("mulligan.stores.opening:open_store")("memory:")
    with_ours.close()


@pytest.mark.parametrize("url", ["sqlite:///fam\0ily.db", "postgresql://host/\0", "\0"])
def test_a_null_character_in_a_url_is_one_sentence(url):
    with pytest.raises(ConfigurationError, match="null character"):
        open_store(url)
