"""The tests' tree is that of the package: what is tested where needs no search, either way."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

RULE = "untested_alone"
WITHOUT_MIRROR = ("habits", "stories", "bench")
"""What is tested here is not one module."""
NO_SUBJECT = ("__init__.py", "__main__.py")
TEST_FILE = re.compile(r"tests/[\w/]+/test_\w+\.py")


def find_stray_tests(tests: Path, package: Path) -> list[str]:
    """Test files that are named after no module and no folder of the package."""
    stray = []
    for test in sorted(tests.rglob("test_*.py")):
        place = test.relative_to(tests)
        subject, folder = test.stem.removeprefix("test_"), package / place.parent
        named = (folder / f"{subject}.py", folder / f"__{subject}__.py", folder / subject)
        if place.parts[0] not in WITHOUT_MIRROR and not any(each.exists() for each in named):
            stray.append(place.as_posix())
    return stray


def find_untested(tests: Path, package: Path) -> dict[str, str]:
    """Modules without a test file of their own, and where it would be.

    A folder in which no module has one stands for all of them: it is tested as one.
    """
    untested: dict[str, str] = {}
    for folder in sorted({each.parent for each in package.rglob("*.py")}):
        modules = [each for each in sorted(folder.glob("*.py")) if each.name not in NO_SUBJECT]
        place = tests / folder.relative_to(package)
        without = [each for each in modules if not (place / f"test_{each.name}").is_file()]
        under = f"src/mulligan/{folder.relative_to(package).as_posix()}/".replace("/./", "/")
        if len(modules) > 1 and without == modules:
            untested[under] = str(place)
        else:
            untested |= {f"{under}{each.name}": f"test_{each.name}" for each in without}
    return untested


def test_tests_are_named_after_what_they_test(repo):
    assert find_stray_tests(repo.root / "tests", repo.src) == []


def test_every_module_has_a_test_of_its_own(repo, only_exceptions):
    only_exceptions(RULE, find_untested(repo.root / "tests", repo.src))


def test_what_has_none_says_which_test_covers_it(repo):
    reasons = repo.exceptions(RULE)

    named = {subject: TEST_FILE.findall(reason) for subject, reason in reasons.items()}

    assert [subject for subject, tests in named.items() if not tests] == []
    assert [
        test for tests in named.values() for test in tests if not (repo.root / test).is_file()
    ] == []


Plant = Callable[..., None]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """A package of two folders in which all is well, and files beside it."""

    def plant(*more: str) -> None:
        modules = ("core/__init__.py", "core/clock.py", "words/list.py", "words/stem.py")
        tests = ("core/test_clock.py", "words/test_list.py", "words/test_stem.py")
        well = [f"src/{name}" for name in modules] + [f"tests/{name}" for name in tests]
        for name in (*well, *more):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()

    return plant


def test_a_tree_that_mirrors_is_fine(plant: Plant, tmp_path: Path) -> None:
    plant("tests/words/test_list.py", "tests/test_words.py", "tests/core/test_init.py",
          "tests/stories/test_anything.py")  # fmt: skip

    assert find_stray_tests(tmp_path / "tests", tmp_path / "src") == []
    assert find_untested(tmp_path / "tests", tmp_path / "src") == {}


def test_a_test_of_nothing_would_be_seen(plant: Plant, tmp_path: Path) -> None:
    plant("tests/core/test_weather.py", "tests/words/test_clock.py")

    stray = find_stray_tests(tmp_path / "tests", tmp_path / "src")

    assert stray == ["core/test_weather.py", "words/test_clock.py"]


def test_a_module_without_a_test_would_be_seen(plant: Plant, tmp_path: Path) -> None:
    plant("src/core/engine.py", "tests/words/test_engine.py", "src/alone.py")

    untested = find_untested(tmp_path / "tests", tmp_path / "src")

    assert untested.keys() == {"src/mulligan/alone.py", "src/mulligan/core/engine.py"}


def test_a_folder_that_is_tested_as_one_is_one_exception_until_one_of_it_is_tested_alone(
    plant: Plant, tmp_path: Path
) -> None:
    plant("src/rooms/door.py", "src/rooms/key.py", "tests/test_rooms.py")
    as_one = find_untested(tmp_path / "tests", tmp_path / "src")

    plant("tests/rooms/test_key.py")
    apart = find_untested(tmp_path / "tests", tmp_path / "src")

    assert as_one.keys() == {"src/mulligan/rooms/"}
    assert apart.keys() == {"src/mulligan/rooms/door.py"}


@pytest.mark.parametrize(
    ("listed", "found", "says"),
    [
        ({}, {"core/engine.py"}, "core/engine.py"),
        ({"core/engine.py": "why"}, set(), "take these out of exceptions.toml"),
    ],
)
def test_an_exception_is_needed_and_needed_for_something(
    repo, only_exceptions, monkeypatch, listed, found, says
) -> None:
    monkeypatch.setattr(repo, "exceptions", lambda rule: listed)

    with pytest.raises(AssertionError, match=says):
        only_exceptions(RULE, dict.fromkeys(found, "a place"))
