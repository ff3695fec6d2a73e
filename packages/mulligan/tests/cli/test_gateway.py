import json

import pytest

from mulligan.cli.main import build_parser, main


def test_a_gateway_only_watches_unless_told_otherwise():
    options = build_parser().parse_args(["gateway", "mcp.json"])

    assert (options.mode, options.http, options.no_tools) == (None, None, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name the file of servers"),
        (["{folder}/none.json"], "none.json"),
        (["{folder}/mcp.json", "--http", "nowhere"], "has no port"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path, capsys, arguments, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"a": {"command": "x"}}}))
    (tmp_path / "mcp.json").chmod(0o600)

    code = main(["gateway", *(each.format(folder=tmp_path) for each in arguments)])

    assert code == 2
    assert said in capsys.readouterr().err


def test_tools_are_approved_as_they_were_seen(tmp_path, capsys):
    from mulligan_gateway.tools import TOOLS, ListedItem, Pins

    pins = Pins(tmp_path / "mcp.json.pins")
    for digest in ("1", "2"):
        item = ListedItem(server="s", name="t", digest=digest)
        pins.note("s", TOOLS, [item], adopt=False)

    code = main(["gateway", str(tmp_path / "mcp.json"), "--approve-tools"])

    assert code == 0
    assert "s: the tool “t” is approved" in capsys.readouterr().err
    assert Pins(tmp_path / "mcp.json.pins").list_changed() == []
