from __future__ import annotations

import re

import pytest

from mulligan.process.lazy import LatePattern, compile_late, compile_rest


def test_a_pattern_finds_what_a_compiled_one_finds() -> None:
    late, compiled = compile_late(r"(?P<n>\d+)", re.ASCII), re.compile(r"(?P<n>\d+)", re.ASCII)

    assert late.findall("1 and 22") == compiled.findall("1 and 22")
    assert late.sub("x", "1 and 22") == "x and x"
    assert late.search("a 22")["n"] == "22"
    assert (late.pattern, late.flags, late.groupindex) == (
        compiled.pattern,
        compiled.flags,
        compiled.groupindex,
    )


def test_bytes_are_searched_by_a_pattern_of_bytes() -> None:
    assert compile_late(rb"\d").findall(b"a1") == [b"1"]


def test_it_is_compiled_when_it_is_first_used_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    written = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or written(*given))

    late = compile_late("late|pattern")
    before = list(compiled)
    late.search("a pattern")
    late.search("late")
    late.fullmatch("late")

    assert before == []
    assert compiled == [("late|pattern", 0)]


def test_what_a_pattern_does_not_have_it_does_not_have_either() -> None:
    late = LatePattern("a")

    with pytest.raises(AttributeError, match="find"):
        late.find("a")
    assert not hasattr(late, "__wrapped__")


def test_all_that_nobody_has_used_can_be_compiled_at_once() -> None:
    one, two = LatePattern("one"), LatePattern("two")

    compile_rest()

    assert "compiled" in vars(one)
    assert "compiled" in vars(two)
