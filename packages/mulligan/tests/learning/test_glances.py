from __future__ import annotations

import pytest

from mulligan.learning.soft_errors import ALL, find_glance


def test_fields_that_say_nothing_of_errors_need_no_look() -> None:
    assert find_glance(("id", "title", 7)) is ALL


@pytest.mark.parametrize("name", ["Error", "syncErrors", "isError", "content", "exitCode", "code"])
def test_an_object_with_a_field_that_could_tell_is_looked_at_whole(name: str) -> None:
    assert find_glance(("id", name)) is None


def test_a_thing_is_passed_over_by_the_state_it_is_in() -> None:
    glance = find_glance(("id", "status"))

    assert glance is not None
    assert glance.passes({"id": 1, "status": "open"})
    assert not glance.passes({"id": 1, "status": "failed"})
    assert not glance.passes({"id": 1, "status": ["failed"]})


def test_a_message_is_passed_over_beside_something_else() -> None:
    glance = find_glance(("id", "message"))

    assert glance is not None
    assert glance.passes({"id": 1, "message": "not found"})
    assert not glance.passes({"id": None, "message": "not found"})
