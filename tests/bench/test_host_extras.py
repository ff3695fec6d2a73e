"""The wheel with each extra alone: what is tried with it, without installing anything here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.hosts import extras
from bench.hosts.drivers import HOSTS
from bench.hosts.extras import PLAIN, list_commands, list_extras, main, try_extra
from bench.missing import MissingError


@pytest.mark.parametrize("extra", list_extras())
def test_every_extra_is_put_to_use(extra: str) -> None:
    imports, used = list_commands(extra)

    assert imports == ["-c", "from mulligan import *"]
    compile(used[1] if used[0] == "-c" else Path(used[0]).read_text(), extra, "exec")
    assert used[0] == "-c" or extra in HOSTS


def test_an_extra_that_nobody_has_said_the_use_of_is_named() -> None:
    with pytest.raises(MissingError, match=r"'theirs' is for: bench/hosts/extras\.py"):
        list(list_commands("theirs"))


def test_what_cannot_be_used_is_told_and_the_rest_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[str] = []

    def refuse(extra: str) -> None:
        tried.append(extra)
        if extra == "judge":
            raise MissingError("no such module")

    monkeypatch.setattr(extras, "FOLDER", tmp_path)
    monkeypatch.setattr(extras, "build_wheels", lambda folder: None)
    monkeypatch.setattr(extras, "try_extra", refuse)

    code = main([])

    said = capsys.readouterr().out
    assert (code, tried) == (1, list_extras())
    assert "judge: FAILED: no such module" in said
    assert said.endswith("Not as they should be: judge\n")


def test_a_use_that_fails_is_told_by_its_last_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / f"extra-{PLAIN}" / "bin"
    here.mkdir(parents=True)
    (here / "python").symlink_to("/bin/false")
    monkeypatch.setattr(sys, "executable", "/bin/true")

    with pytest.raises(MissingError, match=r"mulligan: no reason given"):
        try_extra(PLAIN, tmp_path)
