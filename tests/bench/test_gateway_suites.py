import json

from bench.gateway.chaos import play as play_chaos
from bench.gateway.conformance import read_checks
from bench.gateway.fuzz import find_owed, mutate
from bench.gateway.interaction import read_outcomes
from bench.gateway.public_servers import is_failure
from bench.suites import gateway_servers, gateway_suites
from bench.suites.gateway_fuzz import failed
from bench.suites.gateway_fuzz import play as play_frames


async def test_mutated_frames_are_answered_where_they_have_an_id_and_nothing_dies():
    found = await play_frames(20_000, seed=7)

    assert failed(found) == ""
    assert found["owed"] > 2_000


async def test_a_server_that_comes_to_harm_makes_no_write_twice_and_nobody_waits(tmp_path):
    found = await play_chaos(12, tmp_path, seed=3)

    assert (found["duplicates"], found["hung"], found["zombies"]) == (0, 0, 0)
    assert found["written"] > 0


def test_frames_are_mutated_the_same_way_from_the_same_seed():
    frames = list(mutate(200, seed=1))

    assert frames == list(mutate(200, seed=1))
    assert 20 < sum(find_owed(frame) is not None for frame in frames) < 180


def test_checks_of_the_conformance_suite_are_read_by_their_scenario(tmp_path):
    folder = tmp_path / "server-tools-list-2026-11-16T10-14-43-928Z"
    folder.mkdir()
    said = [("a", "SUCCESS"), ("b", "INFO"), ("a", "FAILURE")]
    checks = [{"id": name, "status": status} for name, status in said]
    (folder / "checks.json").write_text(json.dumps(checks))

    assert read_checks(tmp_path) == {"tools-list/a": "SUCCESS", "tools-list/a 2": "FAILURE"}


def test_outcomes_of_the_sdks_tests_are_read_with_what_they_said(tmp_path):
    report = tmp_path / "report.xml"
    at = 'classname="tests.interaction.test_x"'
    report.write_text(
        f'<testsuite><testcase {at} name="fine"/>'
        f'<testcase {at} name="left"><skipped/></testcase>'
        f'<testcase {at} name="bad"><failure message="no&#10;more"/></testcase></testsuite>'
    )

    assert read_outcomes(report) == {"test_x::fine": "", "test_x::bad": "no"}


def test_what_passes_directly_and_not_through_is_named_unless_somebody_said_why():
    direct = {"a": "SUCCESS", "b": "SUCCESS", "c": "FAILURE", "sse-polling/d": "SUCCESS", "e": ""}
    through = {"a": "SUCCESS", "b": "FAILURE", "c": "FAILURE", "sse-polling/d": "FAILURE"}

    row = gateway_suites._compare("suite", "http", direct, through)

    assert (row["direct"], row["through"], row["lost"]) == (3, 1, 2)
    assert row["unexplained"] == ["b"]
    assert "b" in gateway_suites.failed({"unexplained": row["unexplained"]})


def test_a_day_that_did_something_twice_or_lost_it_is_a_failure():
    fine = {f"{name}_times": 1 for name in gateway_servers.ONCE} | {
        "gateway_killed_left": "unknown"
    }

    assert gateway_servers.failed({"rows": [], "story": fine}) == ""
    assert gateway_servers.failed({"rows": [], "story": {}}) == ""
    assert "server_killed" in gateway_servers.failed(
        {"rows": [], "story": fine | {"server_killed_times": 2}}
    )
    assert "undone" in gateway_servers.failed({"rows": [], "story": fine | {"undone": False}})
    assert "time" in gateway_servers.failed(
        {"rows": [{"server": "time", "different": 1}], "story": {}}
    )


def test_a_failure_is_one_by_the_servers_word_or_by_an_error():
    assert is_failure('{"content":[],"isError":true}')
    assert is_failure("McpError('no')")
    assert not is_failure('{"content":[],"isError":false}')
