import pytest

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.tools.pins import Pins
from mulligan.gateway.tools.shown_list import ListedTool


def tool(digest: str, server: str = "s") -> ListedTool:
    return ListedTool(server=server, name="t", digest=digest)


def test_a_tool_is_taken_as_it_is_first_seen_and_noticed_when_it_changes(tmp_path):
    file = tmp_path / "pins.json"

    assert Pins(file).note(tool("1"))
    assert not Pins(file).note(tool("2"))
    assert Pins(file).list_changed() == [("s", "t")]
    assert Pins(file).approve() == [("s", "t")]
    assert Pins(file).note(tool("2"))


def test_one_that_goes_back_to_what_was_approved_is_fine_again():
    pins = Pins()
    pins.note(tool("1"))
    pins.note(tool("2"))

    assert pins.is_changed("s", "t")
    assert pins.note(tool("1"))
    assert not pins.is_changed("s", "t")


def test_gateways_of_one_file_add_to_what_the_others_have_noted(tmp_path):
    file = tmp_path / "pins.json"
    one, other = Pins(file), Pins(file)

    one.note(tool("1"))
    other.note(tool("1", server="other"))

    assert not Pins(file).note(tool("2"))
    assert not Pins(file).note(tool("2", server="other"))


def test_an_approval_reaches_a_gateway_that_runs(tmp_path):
    file = tmp_path / "pins.json"
    running = Pins(file)
    running.note(tool("1"))
    running.note(tool("2"))

    Pins(file).approve()

    assert not running.is_changed("s", "t")
    assert running.note(tool("2"))
    assert not running.note(tool("3"))


def test_a_change_is_noticed_where_nothing_can_be_kept(tmp_path):
    file = tmp_path / "pins.json"
    running = Pins(file)
    running.note(tool("1"))
    (tmp_path / "pins.json.lock").unlink()
    (tmp_path / "pins.json.lock").mkdir()

    with pytest.raises(OSError, match="lock"):
        running.note(tool("2"))

    assert running.is_changed("s", "t")


def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path):
    file = tmp_path / "pins.json"
    file.write_text('{"s": 1}')

    with pytest.raises(ConfigurationError, match="pins"):
        Pins(file)
