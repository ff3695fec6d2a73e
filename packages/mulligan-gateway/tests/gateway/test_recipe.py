from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.recipe import UndoRecipe, read_recipe
from mulligan_gateway.toml_table import WrittenTable

READ = {"tool": "get", "arguments": {"id": "{arguments.id}"}}
READ_MADE = {"tool": "get", "arguments": {"id": "{result.id}"}}
PUT_BACK = {"tool": "put", "arguments": {"id": "{arguments.id}", "text": "{before.text}"}}
DELETE = {"tool": "delete", "arguments": {"id": "{result.id}"}}


def read(**said: object) -> UndoRecipe:
    table = WrittenTable(said, where="here")
    recipe = read_recipe(table)
    table.finish()
    return recipe


def test_what_the_arguments_name_is_read_before_the_call():
    assert read(read=READ, undo=PUT_BACK).takes_image


def test_what_only_the_result_names_was_not_there_before():
    assert not read(read=READ_MADE, undo=DELETE, made={}).takes_image


def test_every_call_that_it_may_make_is_known():
    recipe = read(read=READ, undo=PUT_BACK, undo_new=DELETE, made={})

    assert [(each.tool, sorted(each.names)) for each in recipe.list_calls()] == [
        ("get", ["id"]),
        ("put", ["id", "text"]),
        ("delete", ["id"]),
    ]


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"undo": PUT_BACK}, "no read that would prove it"),
        ({"read": READ_MADE, "undo": PUT_BACK}, "which is not there before the call"),
        ({"read": READ_MADE, "undo_new": DELETE}, "write undo, not undo_new"),
        ({"read": READ, "undo": {**PUT_BACK, "compares": True}}, "passes no {version}"),
        ({"read": READ, "undo": {"tool": "put", "arguments": {"v": "{version}"}}}, "no table ver"),
        ({"read": READ_MADE, "undo": DELETE}, "Say what a result has in it if the call has made"),
        ({"read": READ, "undo_new": DELETE}, "Say what a result has in it if the call has made"),
        ({"read": READ_MADE, "undo": READ, "made": {}}, "may be what it is a copy of"),
        ({"read": READ_MADE, "undo": DELETE, "made": "always"}, "made is a table"),
        ({"version": {"of": "content"}}, "no read that shows it"),
        ({"read": {"tool": "get", "arguments": {"id": "{version}"}}}, "cannot use {before}"),
        ({"read": {"arguments": {}}}, "it names no tool"),
        ({"read": {**READ, "takes": "x"}}, "Did you mean 'take'"),
        ({"read": {**READ, "form": "txt"}}, "it is one of any, text"),
        ({"read": {**READ, "absent": ["("]}}, "no regular expression"),
        ({"read": {**READ, "where": "x"}}, "where is a table"),
        ({"read": READ, "version": {}}, "of is missing"),
        ({"read": READ, "version": {"of": "etag", "leaves": "x"}}, "leaves goes with"),
        ({"read": READ, "version": {"of": "content", "in_result": "x"}}, "in_result goes with"),
        ({"probe": {**READ, "by": "guess"}}, "it is one of call, state"),
    ],
)
def test_a_recipe_that_could_not_be_kept_is_refused(said, says):
    with pytest.raises(ConfigurationError) as refused:
        read(**said)

    assert says in str(refused.value)
