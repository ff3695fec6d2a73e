"""The repository itself: its targets, its dependencies, and what it must not say."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

TARGETS = ["setup", "demo", "test", "test-all", "check", "bench", "docs", "hosts"]
BASE_DEPENDENCIES = 6
# In pieces, so that this file does not find itself.
OF_A_MACHINE = re.compile("/wor[k]/|/roo[t]/|pyp[i]\\.org|files\\.python[h]osted")


def requirement_names(lines: list[str]) -> set[str]:
    return {re.match(r"[\w-]+", line).group() for line in lines}


def decided_beside(pyproject: str) -> set[str]:
    """What an extra brings whose reason stands on the same line, as for a single adapter."""
    lines = re.findall(r"^[\w-]+ = (\[.+\])  # ((?:\S+ ){5,}\S+)$", pyproject, re.MULTILINE)
    return {name for listed, _ in lines for name in re.findall(r"\"([\w-]+)", listed)}


def pyprojects(repo) -> str:
    """Of all packages."""
    return "".join((each / "pyproject.toml").read_text() for each in repo.packages)


def list_requirements(repo) -> list[list[str]]:
    """Everything that a package needs, with and without its extras, and to be built."""
    found = []
    for package in repo.packages:
        told = tomllib.loads((package / "pyproject.toml").read_text())
        if package.name != "mulligan-fast":  # its build tool comes with Python
            found.append(told["build-system"]["requires"])
        found.append(told["project"].get("dependencies", []))
        found += told["project"].get("optional-dependencies", {}).values()
    return found


def test_no_file_speaks_of_one_machine(repo):
    texts = {p: p.read_text(errors="replace") for p in repo.files()}

    assert OF_A_MACHINE.search("cd /wor" + "k/here")
    assert [repo.name(p) for p, text in texts.items() if OF_A_MACHINE.search(text)] == []


def test_the_licence_of_what_is_shipped_of_others_is_in_the_metadata(repo):
    for package in repo.packages:
        told = tomllib.loads((package / "pyproject.toml").read_text())["project"]
        shipped = {str(each.relative_to(package)) for each in (package / "src").rglob("LICENSE*")}

        assert shipped <= set(told.get("license-files", [])), package.name
        assert not shipped or " AND " in told["license"], package.name


def plan(repo, *targets: str) -> str:
    """The commands that `make` would run."""
    command = ["make", "--dry-run", "--always-make", *targets]
    return subprocess.run(command, cwd=repo.root, capture_output=True, text=True, check=True).stdout


def test_make_knows_every_target(repo):
    assert ".venv" in plan(repo, *TARGETS)


def test_the_checks_are_part_of_the_test_target(repo):
    planned = plan(repo, "test")

    steps = ["ruff check", "ruff format --check", "mypy", "lint-imports", "pytest"]
    assert [step for step in steps if step not in planned] == []


def test_ci_runs_exactly_the_two_tiers_of_tests(repo):
    script = repo.root / ".ci" / "run"
    lines = [line for line in script.read_text().splitlines() if not line.startswith("#")]

    assert lines == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "make test", "make test-all"]
    assert os.access(script, os.X_OK)


def test_every_step_of_a_workflow_can_be_run_here(repo):
    flows = [path.read_text() for path in (repo.root / ".github" / "workflows").glob("*.yml")]
    run = {each for flow in flows for each in re.findall(r"run: make ([\w-]+)\n", flow)}
    listed = {
        target.strip()
        for flow in flows
        for targets in re.findall(r"\n +target: \[(.+)\]\n", flow)
        for target in targets.split(",")
    }

    assert {"test", "test-all", "demo", "release-check", "campaigns", "site"} <= run | listed
    assert plan(repo, *sorted(run | listed))
    assert all("\npermissions:\n  contents: read\n" in flow for flow in flows)


def test_the_base_dependencies_are_few(repo):
    assert len(repo.project["dependencies"]) <= BASE_DEPENDENCIES


def test_every_dependency_is_a_decision_that_is_written_down(repo):
    wanted = requirement_names([line for listed in list_requirements(repo) for line in listed])
    wanted -= {package.name for package in repo.packages if package.name != "mulligan-fast"}
    wanted -= {"mulligan-demo"}

    decided = set(re.findall(r"^### ([\w-]+)$", decisions(repo), re.MULTILINE))

    assert decided | decided_beside(pyprojects(repo)) == wanted


def test_every_dependency_has_an_upper_bound(repo):
    lists = list_requirements(repo)

    assert [each for listed in lists for each in listed if not re.search("<|==", each)] == []


def test_everything_that_is_pinned_is_pinned_exactly(repo):
    lines = (repo.root / "constraints.txt").read_text().split()

    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_the_changelog_has_a_place_for_what_comes_next(repo):
    changelog = (repo.root / "CHANGELOG.md").read_text()

    assert re.search(r"^## \[Unreleased\]$", changelog, re.MULTILINE)


def decisions(repo) -> str:
    return (repo.root / "docs" / "decisions.md").read_text()
