"""Things that were named with their sort, and things made again under their name."""

from __future__ import annotations

import pytest

from mulligan.checks.objects import made_anew, names_as_said
from mulligan.checks.parameters import ToolShape, read_kinds
from mulligan.types.call import Execution
from tests.checks.attempts import attempt, ran

TOOLS = {
    each.tool: each
    for each in (
        read_kinds(
            ToolShape(tool="post_message", schema={"properties": {"channel": {}, "body": {}}})
        ),
        read_kinds(ToolShape(tool="create_file", schema={"properties": {"filename": {}}})),
    )
}


def post(channel: str) -> Execution:
    return ran("post_message", {"channel": channel, "body": "Hi"})


@pytest.mark.parametrize(
    ("said", "channel", "flagged"),
    [
        ("Post hi to the 'random' channel", "general", True),
        ("Post hi to the 'random' channel", "random", False),
        ("Post hi to the channel 'random'", "general", True),
        ("Post what the 'news' channel has to general", "general", False),
        ("Post hi to all but the 'random' channel", "general", False),
        ("Post 'random' to a channel", "general", False),
    ],
)
def test_another_than_the_named_one_is_flagged(said: str, channel: str, *, flagged: bool) -> None:
    assert bool(list(names_as_said(TOOLS)(attempt(said, post(channel))))) is flagged


FOUND = ran("search_files", result=[{"id": "1", "filename": "notes.txt"}])


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("Append 'milk' to notes.txt", True),
        ("Add milk to my notes", True),
        ("Create notes.txt, and add milk to it", False),
        ("Read notes.txt", False),
        ("Look for 'add milk to' in the notes", False),
    ],
)
def test_what_was_to_be_changed_is_not_made_anew(said: str, *, flagged: bool) -> None:
    tried = attempt(said, FOUND, ran("create_file", {"filename": "notes.txt"}))

    assert bool(list(made_anew(TOOLS)(tried))) is flagged


def test_something_of_another_name_may_be_made() -> None:
    tried = attempt("Add milk to my notes", FOUND, ran("create_file", {"filename": "new.txt"}))

    assert not list(made_anew(TOOLS)(tried))
