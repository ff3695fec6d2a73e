"""Surfaces under roles of a real server: each sees what it is for, and says what it cannot know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from mulligan import Effect, Mulligan
from tests.cli.running import run
from tests.stores.filled import TENANTS, build_url_of, make_role

Give = Callable[..., str]
SHOWN = TENANTS[:6]
"""Names of most shapes; the rest differ from these for a database alone."""


@pytest.fixture
def url(postgres_url, tmp_path, monkeypatch) -> str:
    """A store with a success, a failure and a held call of every tenant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULLIGAN_STORE", raising=False)
    with Mulligan(postgres_url) as m:

        @m.tool(effect=Effect.READ)
        def find(limit: int) -> int:
            if limit > 5:
                raise ValueError("limit must be at most 5")
            return limit

        @m.tool(effect=Effect.IRREVERSIBLE)
        def pay(cents: int) -> None:
            raise AssertionError

        for number, tenant in enumerate(SHOWN):
            with m.turn("?", tenant=tenant, agent="desk"):
                find(number % 5)
                with pytest.raises(ValueError):
                    find(9)
                pay(100 + number)
    return postgres_url


@pytest.fixture
def give(url, capsys) -> Iterator[Give]:
    """Makes a role, gives it something by command, and answers with the store as it opens it."""
    made = []

    def grant(*what: str) -> str:
        made.append(make_role(url))
        role = made[-1].__enter__()
        code, _, error = run(capsys, "access", "grant", role, *what, "--store", url)
        assert code == 0, error
        return build_url_of(url, role)

    yield grant
    for each in made:
        each.__exit__(None, None, None)


def ask(capsys, *command: str) -> dict:
    _, out, error = run(capsys, *command, "--json")
    assert error == ""
    return json.loads(out)


def list_calls(capsys, url: str, *more: str) -> list[dict]:
    return ask(capsys, "log", "--store", url, *more)["rows"]


def list_open(capsys, url: str) -> list[dict]:
    return ask(capsys, "open", "--store", url)["actions"]


def test_each_tenants_surface_lists_its_own_calls_and_open_actions(url, give, capsys) -> None:
    for tenant in SHOWN:
        whose = list_calls(capsys, url, "--tenant", tenant)
        own = give("--tenant", tenant)

        calls = list_calls(capsys, own)
        waiting = list_open(capsys, own)

        assert calls == whose
        assert [each["outcome"] for each in calls].count("success") == 1
        assert [each["tenant"] for each in waiting] == [calls[0]["tenant"]]


def test_a_surface_of_one_tenant_says_that_it_cannot_verify_and_reports_no_damage(
    url, give, capsys
) -> None:
    own = give("--tenant", SHOWN[3])

    _, out, error = run(capsys, "doctor", "--store", own, "--json")

    said = json.loads(out)
    assert error == ""
    assert said["health"]["problems"] == []
    assert any(
        "whether the journal is whole was not checked" in e for e in said["health"]["caveats"]
    )


def test_a_history_that_others_wrote_between_is_read_all_the_same(url, give, capsys) -> None:
    own = give("--tenant", SHOWN[4])
    [waiting] = list_open(capsys, own)

    code, out, error = run(capsys, "show", waiting["id"], "--store", own)

    assert (code, error) == (0, "")
    assert "pay" in out


def test_a_name_that_cannot_be_looked_up_is_an_error_and_not_an_empty_list(
    url, give, capsys
) -> None:
    own = give("--tenant", SHOWN[0])

    code, out, error = run(capsys, "log", "--store", own, "--tenant", SHOWN[0])

    assert (code, out) == (2, "")
    assert "give the identity as it is shown" in error


@pytest.mark.parametrize("what", [["--look"], ["--tenant", SHOWN[0]]])
def test_who_only_looks_decides_nothing(url, give, capsys, what) -> None:
    looking = give(*what)
    [waiting, *_] = list_open(capsys, looking)

    code, _, error = run(capsys, "deny", waiting["id"], "--store", looking, "--note", "no")

    assert code == 3
    assert "permission denied" in error
    assert waiting["id"] in [each["id"] for each in list_open(capsys, url)]


def test_who_looks_at_all_sees_what_the_owner_does(url, give, capsys) -> None:
    looking = give("--look")

    for command in (["log"], ["open"], ["patterns"], ["lessons", "list"], ["tasks", "list"]):
        assert ask(capsys, *command, "--store", looking) == ask(capsys, *command, "--store", url)
    _, out, _ = run(capsys, "doctor", "--store", looking, "--json")
    assert json.loads(out)["health"]["problems"] == []


def test_an_application_works_as_a_worker_and_decides(url, give, capsys) -> None:
    working = give("--worker")

    with Mulligan(working, migrate=False, row_security=True) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def pay(cents: int) -> None: ...

        with m.turn("?", tenant="new", agent="desk"):
            held = pay(1)
        m.insights.open_list.deny(held.hold.action, by="ann")

    [made] = ask(capsys, "actions", "--store", url, "--tenant", "new")["actions"]
    assert made["state"] == "denied"
    _, out, _ = run(capsys, "doctor", "--store", url, "--json")
    assert json.loads(out)["health"]["problems"] == []


def test_who_sees_what_is_listed_and_taken_back(url, give, capsys) -> None:
    own = give("--tenant", "acme")
    [listed] = ask(capsys, "access", "list", "--store", url)
    code, out, _ = run(capsys, "access", "list", "--store", url)

    assert (listed["surface"], listed["unbound"]) == ("tenant", "")
    assert listed["tenant"].startswith("acme~")
    assert (code, " ".join(out.split())) == (
        0,
        f"{listed['role']} sees the rows of {listed['tenant']}.",
    )

    run(capsys, "access", "revoke", listed["role"], "--store", url)

    assert ask(capsys, "access", "list", "--store", url) == []
    assert run(capsys, "log", "--store", own)[0] == 3


def test_the_setting_refuses_a_store_without_it_and_turns_it_on_where_it_may(
    url, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("MULLIGAN_ROW_SECURITY", "true")

    before = run(capsys, "log", "--store", url)
    migrated = run(capsys, "migrate", "--store", url)
    after = run(capsys, "log", "--store", url, "--json")

    assert before[0] == 3
    assert "tables without row security" in before[2]
    assert migrated[0] == 0
    assert after[0] == 0
    assert len({each["tenant"] for each in json.loads(after[1])["rows"]}) == len(SHOWN)


def test_only_postgres_has_roles(tmp_path, capsys, monkeypatch) -> None:
    url = f"sqlite:///{tmp_path}/office.db"

    listed = run(capsys, "access", "list", "--store", url)
    monkeypatch.setenv("MULLIGAN_ROW_SECURITY", "true")
    migrated = run(capsys, "migrate", "--store", url)

    assert (listed[0], migrated[0]) == (2, 2)
    assert "Only a Postgres store has roles" in listed[2]
    assert "which only Postgres has" in migrated[2]
    assert not (tmp_path / "office.db").exists()
