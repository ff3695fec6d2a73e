"""`python -m bench` as a person or a program calls it. No test here asserts a timing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import suites
from bench.__main__ import main
from bench.names import FIXED
from bench.suites import names
from tests.bench.running import ROOT, run_bench

PEERS = ROOT / ".venv-peers"
AGAINST_PEERS = {
    "otel_ratio", "otel_total_ratio", "otel_cpu_ratio", "otel_total_cpu_ratio", "saga_ratio",
    "stall_p99_ratio", "redaction_ratio",
}  # fmt: skip


def test_an_unknown_suite_is_answered_with_the_list_of_those_there_are() -> None:
    done = run_bench("overheat")

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"There is no suite 'overheat'; there are: {', '.join(names())}.\n"
    assert "overhead" in names()


@pytest.mark.parametrize("name", names())
def test_every_suite_says_what_it_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"python -m bench {name}" in capsys.readouterr().out


def test_an_unknown_option_is_one_sentence() -> None:
    done = run_bench("overhead", "--fast")

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "--fast" in done.stderr


def test_peers_that_are_missing_are_named_in_one_sentence(tmp_path: Path) -> None:
    nowhere = tmp_path / "peers"

    done = run_bench("overhead", "--quick", "--json", "--no-install", "--peers", str(nowhere))

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert str(nowhere) in done.stderr
    assert not nowhere.exists()


@pytest.mark.skipif(not (PEERS / ".pins").exists(), reason="the peers are not installed here")
def test_with_the_peers_every_ratio_is_there_and_no_span_was_lost() -> None:
    done = run_bench("overhead", "--quick", "--no-install", "--json")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert all(result[key] > 0 for key in AGAINST_PEERS)
    assert all(each["lost"] == 0 for each in result["calls"].values())
    assert result["spread"].keys() >= AGAINST_PEERS
    assert result["versions"].keys() >= {"opentelemetry-sdk", "agent-saga", "logfire"}


@pytest.mark.parametrize("suite", sorted(FIXED))
def test_a_suite_still_speaks_of_what_it_is_compared_by(suite: str) -> None:
    """Its own data is not here: what a run would refuse is at least found in the source."""
    folder = Path(suites.__file__).parent
    own = (folder / f"{suite.replace('-', '_')}.py").read_text()
    others = [path for path in folder.parent.glob("**/*.py") if path.name != "names.py"]
    beside = "".join(path.read_text() for path in others)

    assert suite in suites.names()
    assert [name for name in FIXED[suite].split() if name not in own + beside] == []
