import json

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.tools import PROMPTS, TOOLS, ListedItem, Pins


def tool(digest: str, server: str = "s", name: str = "t") -> ListedItem:
    return ListedItem(server=server, name=name, digest=digest)


def note(pins: Pins, *items: ListedItem, adopt: bool = False) -> bool:
    """Whether all of a list is as it was approved."""
    pins.note(items[0].server if items else "s", TOOLS, items, adopt=adopt)
    return not pins.list_unapproved(items)


def test_a_tool_is_taken_as_it_is_first_seen_and_noticed_when_it_changes(tmp_path):
    file = tmp_path / "pins.json"

    assert note(Pins(file), tool("1"))
    assert not note(Pins(file), tool("2"))
    assert Pins(file).list_changed() == [tool("2")]
    assert Pins(file).approve() == [tool("2")]
    assert note(Pins(file), tool("2"))


def test_one_that_goes_back_to_what_was_approved_is_fine_again():
    pins = Pins()
    note(pins, tool("1"))

    assert not note(pins, tool("2"))
    assert note(pins, tool("1"))
    assert pins.list_changed() == []


@pytest.mark.parametrize("first", [(), (tool("1"),)])
def test_what_comes_to_a_list_later_is_not_approved(first):
    pins = Pins()
    note(pins, *first)

    assert not note(pins, *first, tool("2", name="new"))
    assert pins.approve() == [tool("2", name="new")]
    assert note(pins, *first, tool("2", name="new"))


def test_what_goes_and_comes_back_is_held_against_what_was_approved():
    pins = Pins()
    note(pins, tool("1"))
    note(pins)

    assert not note(pins, tool("2"))
    assert note(pins, tool("1"))


def test_where_nothing_is_pinned_what_comes_is_taken_and_what_goes_forgotten(tmp_path):
    file = tmp_path / "pins.json"
    pins = Pins(file)
    note(pins, tool("1"), adopt=True)

    assert note(pins, tool("2", name="new"), adopt=True)
    assert not note(pins, tool("3", name="new"), adopt=True)
    assert list(json.loads(file.read_text())["s"][TOOLS]) == ["new"]


def test_kinds_are_kept_apart():
    pins = Pins()
    note(pins, tool("1"))
    prompt = ListedItem(server="s", kind=PROMPTS, name="t", digest="2")

    pins.note("s", PROMPTS, [prompt], adopt=False)

    assert pins.list_unapproved([prompt, tool("1")]) == []


def test_gateways_of_one_file_add_to_what_the_others_have_noted(tmp_path):
    file = tmp_path / "pins.json"
    one, other = Pins(file), Pins(file)

    note(one, tool("1"))
    note(other, tool("1", server="other"))

    assert not note(Pins(file), tool("2"))
    assert not note(Pins(file), tool("2", server="other"))


def test_an_approval_reaches_a_gateway_that_runs(tmp_path):
    file = tmp_path / "pins.json"
    running = Pins(file)
    note(running, tool("1"))
    note(running, tool("2"))

    Pins(file).approve()

    assert running.list_unapproved([tool("2")]) == []
    assert note(running, tool("2"))
    assert not note(running, tool("3"))


def test_a_change_is_noticed_where_nothing_can_be_kept(tmp_path):
    file = tmp_path / "pins.json"
    running = Pins(file)
    note(running, tool("1"))
    (tmp_path / "pins.json.lock").unlink()
    (tmp_path / "pins.json.lock").mkdir()

    with pytest.raises(OSError, match="lock"):
        note(running, tool("2"))

    assert running.list_unapproved([tool("2")])


@pytest.mark.parametrize("text", ['{"s": 1}', '{"s": {"t": {"approved": "1", "seen": "1"}}}'])
def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path, text):
    file = tmp_path / "pins.json"
    file.write_text(text)

    with pytest.raises(ConfigurationError, match="pins"):
        Pins(file)
