import pytest

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.tools.pins import Pins
from mulligan.gateway.tools.shown_list import ListedTool


def tool(digest: str) -> ListedTool:
    return ListedTool(server="s", name="t", digest=digest)


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


def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path):
    file = tmp_path / "pins.json"
    file.write_text('{"s": 1}')

    with pytest.raises(ConfigurationError, match="pins"):
        Pins(file)
