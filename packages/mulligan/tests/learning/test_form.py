from __future__ import annotations

import pytest

from mulligan.learning.coerce import changes_only_form


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"order": "W17"}, {"order": "#W17"}),
        ({"order": "#W17"}, {"order": "W17"}),
        ({"order": "'W17'"}, {"order": "'W17'"}),
        ({"order": "1001"}, {"order": "#1001"}),
        ({"tag": "new york"}, {"tag": "new_york"}),
        ({"tag": ["a b"]}, {"tag": "a b"}),
        ({"tag": ["A", "B"]}, {"tag": ["#A", "#B"]}),
        ({"code": "ab"}, {"code": "AB"}),
        ({"tag": "a b"}, {"tag": ["a b"]}),
        ({"limit": "5"}, {"limit": 5}),
        ({"day": "20.11.2026"}, {"day": "2026-11-20"}),
        ({"orderId": "W17"}, {"order_id": "#W17"}),
        ({"order": "W17", "verbose": False}, {"order": "W17"}),
        ({"order": "W17", "unknown": ""}, {"order": "W17"}),
        ({"order": "W17", "note": None}, {"order": "W17"}),
    ],
)
def test_the_same_in_another_form_is_the_same_call(
    before: dict[str, object], after: dict[str, object]
) -> None:
    assert changes_only_form(before, after, defaults={"verbose": False})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"order": "1"}, {"order": "91"}),
        ({"order": "W1"}, {"order": "W199"}),
        ({"order": "W1"}, {"order": "evil-W1"}),
        ({"order": "W1"}, {"order": "W1*"}),
        ({"order": "plans"}, {"order": "../plans"}),
        ({"order": "plans"}, {"order": "plans';--"}),
        ({"order": "plans"}, {"order": "plans'"}),
        ({"order": "plans"}, {"order": "plans;"}),
        ({"order": "plans"}, {"order": "@plans"}),
        ({"order": "plans"}, {"order": "//plans"}),
        ({"order": "plans"}, {"order": "-plans"}),
        ({"order": "plans"}, {"order": ["../plans"]}),
        ({"order": ["plans"]}, {"order": "(plans)"}),
        ({"order": "a b"}, {"order": "a/b"}),
        ({"order": "a b"}, {"order": "a@b"}),
        ({"order": "a.b"}, {"order": "a b"}),
        ({"order": "12 34"}, {"order": "12-34"}),
        ({"shift": "5"}, {"shift": "-5"}),
        ({"share": "15"}, {"share": "1.5"}),
        ({"day": "03/04/2026"}, {"day": "2026-04-03"}),
        ({"order": "W1", "other": "W2"}, {"order": "W2", "other": "W2"}),
        ({"other": "W2"}, {"other": "W2", "order": "W2"}),
        ({"order": "W1", "only_mine": True}, {"order": "W1"}),
        ({"order": "W1", "note": "for Ann"}, {"order": "#W1"}),
        ({"order": "W1", "dry_run": True}, {"order": "W1"}),
        ({"order": "W1", "notify": False}, {"order": "W1"}),
        ({"order": "W1", "verbose": True}, {"order": "W1"}),
        ({"orderId": "W17"}, {"order": "W17"}),
        ({"orders_to_keep": ["W1"]}, {"orders": ["W1"]}),
        ({"sender": "a", "receiver": "b"}, {"sender": "b", "receiver": "a"}),
    ],
)
def test_another_thing_or_a_wider_request_is_another_call(
    before: dict[str, object], after: dict[str, object]
) -> None:
    assert not changes_only_form(before, after, defaults={"verbose": False})
