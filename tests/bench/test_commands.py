"""Every `python -m bench` command takes its options, and each one with a short form runs in it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from bench import suites
from bench.__main__ import main
from bench.hosts.extras import list_commands, list_extras
from bench.whole.plan import ON_DATA, QUICK, list_arguments, list_forms
from tests.bench.running import run_bench

pytestmark = pytest.mark.full

NEEDS_AN_INSTALLATION = {"gateway-matrix", "gateway-servers", "gateway-suites"}
LONG_ALSO_IN_SHORT = {
    "effects", "engines", "gateway", "hostile", "hosts", "packs", "pauses", "tasks",
}  # fmt: skip
"""Measurements of what other tests hold: `make bench` runs them."""
IN_TESTS_OF_THEIR_OWN = {
    "counts", "crash", "explore", "gateway-chaos", "gateway-fuzz", "growth", "injection",
    "poisoning", "redaction", "restarts", "truth",
}  # fmt: skip
SHORT = sorted(
    (set(QUICK) | {"languages", "visits"})
    - NEEDS_AN_INSTALLATION
    - LONG_ALSO_IN_SHORT
    - IN_TESTS_OF_THEIR_OWN
)
OTHERS = [name for name in suites.names() if name != "all"]


@pytest.mark.filterwarnings("default")  # the frameworks' own warnings
@pytest.mark.parametrize("suite", SHORT)
def test_a_suite_runs_in_its_short_form(suite: str) -> None:
    done = run_bench(suite, "--json", *QUICK.get(suite, "").split())

    # 1: a goal in milliseconds was missed, which says nothing on a busy machine.
    assert done.returncode in (0, 1), done.stderr
    assert "lost names" not in done.stderr
    assert json.loads(done.stdout)["suite"] == suite


@pytest.mark.parametrize("suite", OTHERS)
def test_every_suite_takes_what_it_is_run_with(suite: str) -> None:
    parser = argparse.ArgumentParser()
    suites.load(suite).add_arguments(parser)
    on_data = any(action.dest == "data" and action.required for action in parser._actions)

    for quick in (True, False):
        arguments = list_arguments(suite, quick=quick, data=Path("/data"), half="heldout")
        for form in list_forms(suite, quick=quick):
            parser.parse_args([*arguments, *form.split()])

    assert on_data == (suite in ON_DATA)
    assert set(QUICK) <= set(OTHERS)


@pytest.mark.parametrize("suite", sorted(ON_DATA))
def test_missing_data_is_one_sentence(
    suite: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([suite, "--data", str(tmp_path)])

    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.count("\n") == 1
    assert "is not there: pass the folder that holds it as --data DIR." in printed.err


def test_an_unknown_suite_or_option_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["overheat"])

    assert code == 2
    assert f"there are: {', '.join(suites.names())}.\n" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["overhead", "--fast"])
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("extra", list_extras())
def test_every_extra_is_put_to_use_by_make_extras(extra: str) -> None:
    imports, used = list_commands(extra)

    assert imports == ["-c", "from mulligan import *"]
    compile(used[1] if used[0] == "-c" else Path(used[0]).read_text(), extra, "exec")
