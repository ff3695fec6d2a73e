from __future__ import annotations

from mulligan_dashboard.sections import ACTS
from mulligan_dashboard.security import Role
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage


def test_no_act_is_for_who_may_only_look() -> None:
    assert all(act.role.covers(Role.DECIDE) for act in ACTS)


def test_addresses_are_different() -> None:
    assert len({act.path for act in ACTS}) == len(ACTS)


def test_an_act_is_on_record_with_who_did_it_also_where_it_was_refused(
    door: Door, filled: Stage
) -> None:

    hold = filled.m.insights.open_list.actions()[0].id
    key = door.key(Role.DECIDE)

    first = door.client.post(f"/api/v1/open/{hold}/deny", json={"note": "no"}, headers=key)
    again = door.client.post(f"/api/v1/open/{hold}/deny", json={}, headers=key)

    assert (first.status_code, again.status_code) == (200, 409)
    refused, done = filled.m.insights.acts.list_acts()
    assert (done.by, done.act, done.refused) == ("Mum", f"deny {hold}", "")
    assert "denied" in refused.refused
