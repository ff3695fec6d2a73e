"""What packages bring: broken ones and two of one name are told of, and stop nothing else."""

from __future__ import annotations

import json

import pytest

from mulligan import Mulligan
from mulligan.checks.file import make_checks
from mulligan.extensions import GROUPS, find_extensions, list_installed
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from tests.strangers import install, run

BROKEN = {group: {"odd": "odd_package:thing"} for group in GROUPS}


def use_check():
    Mulligan("memory:", checks=["standard", "odd"])


def use_reply_check():
    make_checks({"checks": {"mine": {"kind": "odd"}}})


def use_host():
    with Mulligan("memory:") as m:
        m.for_odd()


def use_store():
    open_store("odd://here")


USES = pytest.mark.parametrize("use", [use_check, use_reply_check, use_host, use_store])


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path, to install packages into."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.full
@USES
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "module 'odd_package' has no attribute 'thing'"),
        ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("raise OSError('token=abc')", r"it ended with OSError \(.*odd_package.py, line 1\)"),
        ("raise SystemExit(3)", r"it ended with SystemExit \(.*odd_package.py, line 1\)"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_with_its_package_and_the_reason(site, use, source, why):
    install(site, "odd_package", BROKEN, source=source)

    with pytest.raises(ConfigurationError, match=rf"'odd' of odd_package 1\.0 .*{why}") as caught:
        use()

    assert "token=abc" not in str(caught.value)


@USES
def test_two_of_one_name_are_both_named_and_neither_is_taken(site, use):
    install(site, "odd_package", BROKEN, source="thing = print")
    even = {group: {"odd": "even_package:thing"} for group in GROUPS}
    install(site, "even_package", even, source="thing = print")

    with pytest.raises(ConfigurationError, match=r"even_package 1\.0 .* and odd_package 1\.0 "):
        use()


@USES
def test_one_that_is_not_what_its_group_asks_for_is_named(site, use):
    install(site, "odd_package", BROKEN, source="thing = 7")

    with pytest.raises(ConfigurationError, match=r"'odd' of odd_package 1\.0 .*no (\w* ?)function"):
        use()


def test_a_reply_check_that_makes_something_else_is_refused(site):
    install(site, "odd_package", BROKEN, source="def thing(often=1): return often")

    with pytest.raises(ConfigurationError, match="'odd', which makes no TextCheck"):
        make_checks({"checks": {"mine": {"kind": "odd", "often": 2}}})


@pytest.mark.parametrize(
    ("ask", "known"),
    [
        (lambda: Mulligan("memory:", checks="nowhere"), "There are: odd, standard."),
        (lambda: make_checks({"checks": {"nowhere": {}}}), "There are: avoids, .*, odd, "),
        (lambda: open_store("nowhere://here"), "Use memory:, .*, odd:. A package"),
    ],
)
def test_an_unknown_name_is_told_with_all_there_are_and_how_a_package_brings_one(site, ask, known):
    install(site, "odd_package", BROKEN)

    with pytest.raises(ConfigurationError, match=f"{known}.* an entry point of the group"):
        ask()


def test_ours_are_found_without_a_look_at_any_metadata(tmp_path):
    code = (
        "import sys; from mulligan import Mulligan; from mulligan.checks.file import preset\n"
        "m = Mulligan('memory:', checks='standard', replies='default')\n"
        "m.for_host(lambda host: host); m.close(); print('importlib.metadata' in sys.modules)"
    )

    done = run(tmp_path, "-W", "error", "-c", code)

    assert done.stdout.strip() == "False", done.stderr


def test_what_is_installed_is_listed_with_what_cannot_be_used(site):
    install(site, "odd_package", BROKEN)

    odd = [each for each in list_installed() if each.name == "odd"]

    assert [each.group for each in odd] == list(GROUPS)
    assert {(each.package, each.version, each.broken) for each in odd} == {
        ("odd_package", "1.0", True)
    }
    assert all("no attribute 'thing'" in each.problem for each in odd)


def test_a_package_that_lost_its_metadata_is_listed_all_the_same(site):
    install(site, "odd_package", BROKEN, source="thing = print")
    (site / "odd_package-1.0.dist-info" / "METADATA").unlink()

    odd = [each for each in list_installed() if each.name == "odd"]

    assert {(each.package, each.problem) for each in odd} == {("a package without a name", "")}


def test_one_package_that_is_found_twice_is_one(site, monkeypatch):
    install(site, "odd_package", BROKEN, source="thing = print")
    again = install(site / "again", "odd_package", BROKEN, source="thing = print")
    monkeypatch.syspath_prepend(str(again))

    assert find_extensions("mulligan.checks")["odd"].load() is print


@pytest.mark.full
def test_the_doctor_goes_on_where_a_package_is_broken_and_says_that_it_needs_a_person(tmp_path):
    install(tmp_path, "odd_package", BROKEN, source="raise SystemExit")
    store = ("--store", "sqlite:///odd.db")

    run(tmp_path, "-m", "mulligan", "migrate", *store)
    told = run(tmp_path, "-m", "mulligan", "doctor", *store)
    as_json = run(tmp_path, "-m", "mulligan", "doctor", *store, "--json")

    assert (told.returncode, as_json.returncode) == (1, 1), told.stderr
    assert "! The host 'odd' of odd_package 1.0" in told.stdout
    found = json.loads(as_json.stdout)["extensions"]
    assert found.keys() == GROUPS.keys()
    [host] = found["mulligan.hosts"]
    assert (host["name"], host["package"], host["version"]) == ("odd", "odd_package", "1.0")
    assert "it ended with SystemExit" in host["problem"]
