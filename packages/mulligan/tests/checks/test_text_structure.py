from __future__ import annotations

import pytest

from mulligan.checks.text import list_items, structure
from tests.checks.replies import findings, rules

NO_LIST = "text.no_list"
LONG = "text.long_paragraph"


def prose(n: int) -> str:
    return ("word " * n)[: n - 1] + "."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (prose(500), []),
        (prose(501), [NO_LIST]),
        (prose(800), [NO_LIST]),
        (prose(801), [NO_LIST, LONG]),
        (f"{prose(800)}\n\n{prose(800)}", [NO_LIST]),
        (f"{prose(801)}\n\n{prose(801)}", [NO_LIST, LONG, LONG]),
        (f"{prose(600)}\n\n- a\n- b", []),
        (f"{prose(600)}\n\n* a", []),
        (f"{prose(600)}\n\n+ a", []),
        (f"{prose(600)}\n\n1. a\n2. b", []),
        (f"{prose(600)}\n\n1) a", []),
        (f"{prose(600)}\n\n• a", []),
        (f"{prose(600)}\n\n１、 a".replace("１", "1"), []),
        (f"{prose(600)}\n\n<ul><li>a</li></ul>".replace("<ul>", ""), []),
        (f"{prose(600)}\n\n| a | b |\n|---|---|\n| 1 | 2 |", []),
        (f"{prose(600)}\n\n```\n- a\n```", [NO_LIST]),
        (f"{prose(600)}\n\n-not an item", [NO_LIST]),
        (f"{prose(600)}\n\n**- bold**", [NO_LIST]),
        (f"{prose(600)}\n\n---", [NO_LIST]),
        (f"{prose(600)}\n\n* * *", [NO_LIST]),
        (f"{prose(600)} 3 - 2 = 1", [NO_LIST]),
        (f"- a\n\n{prose(801)}", [LONG]),
        (f"- {prose(801)}", []),
        (f"> {prose(801)}\n\n- a", []),
        (f"# {prose(801)}\n\n- a", []),
        (f"```\n{'x' * 900}\n```", []),
        (f"    {'x' * 900}", []),
        (f"- a\n\n{prose(790)} [a](https://example.com/{'x' * 200})", []),
        (f"- a\n\n{prose(790)} https://example.com/{'x' * 200}", []),
        (f"- a\n\n{'word   ' * 160}", []),  # 799 seen
        (f"- a\n\n{'文' * 801}", [LONG]),
        (f"- a\n\n{'文' * 800}", []),
        ("\n".join(["line of forty characters, all of it yes."] * 20), [NO_LIST, LONG]),
        (f"{'​' * 600}", []),
    ],
)
def test_long_prose_needs_a_list_and_no_paragraph_may_be_a_wall(
    text: str, found: list[str]
) -> None:
    assert rules(structure(), text) == found


def test_each_half_has_its_own_threshold_and_switch() -> None:
    assert rules(structure(list_above=100, longest_paragraph=None), prose(1_000)) == [NO_LIST]
    assert rules(structure(list_above=None, longest_paragraph=100), prose(101)) == [LONG]
    assert rules(structure(list_above=None, longest_paragraph=None), prose(5_000)) == []


def test_a_finding_quotes_how_the_paragraph_begins() -> None:
    (finding,) = findings(structure(list_above=None), prose(900))

    assert finding.quote.startswith("word word")
    assert finding.quote.endswith("…")


def test_a_wall_is_broken_between_sentences_only_where_that_was_asked_for() -> None:
    splitting = structure(list_above=None, longest_paragraph=30, split=True)

    assert structure().mend is None
    assert splitting.mend is not None
    mended = splitting.mend("First sentence here. Second sentence here. Third.")
    assert mended == "First sentence here.\n\nSecond sentence here. Third."
    assert rules(splitting, mended) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- a\n- b\n- c", []),
        ("- a\n- b", ["text.too_few_points"]),
        ("- a\n- b\n- c\n- d", ["text.too_many_points"]),
        ("- a\n  - b\n- c", []),
        ("```\n- a\n- b\n- c\n```", ["text.too_few_points"]),
    ],
)
def test_the_points_of_lists_are_counted(text: str, found: list[str]) -> None:
    assert rules(list_items(at_least=3, at_most=3), text) == found
