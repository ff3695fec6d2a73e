from __future__ import annotations

import pytest

from mulligan_dashboard.security import Role


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.LOOK, {Role.LOOK}),
        (Role.DECIDE, {Role.LOOK, Role.DECIDE}),
        (Role.ADMIN, set(Role)),
    ],
)
def test_a_role_may_all_that_those_before_it_may(role: Role, may: set[Role]) -> None:
    assert {each for each in Role if role.covers(each)} == may
