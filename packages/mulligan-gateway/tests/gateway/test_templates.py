from __future__ import annotations

import pytest

from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.recipe import ArgumentTemplate, MissingValueError

RECORD = Record(
    arguments={"path": "a/b", "n": 3, "tags": ["x"], "none": None, "owner": {"id": 7}},
    key="k1",
    result={"id": "e1", "items": [{"id": 5}]},
    version="v2",
)


@pytest.mark.parametrize(
    ("said", "filled"),
    [
        ("{arguments.path}", "a/b"),
        ("{arguments.n}", 3),
        ("{arguments.tags}", ["x"]),
        ("{arguments.owner.id}", 7),
        ("{arguments.path}.undone-{key}", "a/b.undone-k1"),
        ("no place", "no place"),
        ("{{literal}} {arguments.n}", "{literal} 3"),
        ({"id": "{result.id}", "force": True}, {"id": "e1", "force": True}),
        ({"a": "{arguments.missing?}", "b": 1}, {"b": 1}),
        ({"a": "{arguments.none?}", "b": "{arguments.none}"}, {"b": None}),
        (["{result.items.0.id}", "{version}"], [5, "v2"]),
        ("{before.title}", "was"),
    ],
)
def test_places_are_filled_by_what_the_call_was_given_and_returned(said, filled):
    template = ArgumentTemplate.read(said, where="here")

    assert template.fill(RECORD, before={"title": "was"}) == filled


@pytest.mark.parametrize(
    "said", ["{arguments.missing}", "{result.items.9}", "x{arguments.tags}", "{before}"]
)
def test_what_is_not_there_is_never_guessed(said):
    with pytest.raises(MissingValueError):
        ArgumentTemplate.read(said, where="here").fill(RECORD)


@pytest.mark.parametrize("said", ["{path}", "{arguments}", "{results.id}", "{}", "open {"])
def test_a_place_that_nobody_knows_is_refused_where_it_is_written(said):
    with pytest.raises(ConfigurationError, match=r"^here: ") as refused:
        ArgumentTemplate.read({"deep": [said]}, where="here")

    assert "{arguments.path}" in str(refused.value)


def test_a_template_knows_what_it_is_filled_from():
    template = ArgumentTemplate.read({"a": "{arguments.x}", "b": ["{before.y}{key}"]}, where="")

    assert template.sources == {"arguments", "before", "key"}
