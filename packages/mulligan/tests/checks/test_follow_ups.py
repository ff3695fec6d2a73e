from __future__ import annotations

import pytest

from mulligan.checks.text import follow_ups
from tests.checks.replies import findings, rules

NONE = ["text.no_follow_ups"]
FEW = ["text.few_follow_ups"]
Q = "- What?\n- When?\n- Who?"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", NONE),
        ("We sell bicycles.", NONE),
        (f"You might also want to know:\n\n{Q}", []),
        (f"**You might also want to know:**\n{Q}", []),
        (f"## You might also want to know\n\n{Q}", []),
        (f"You Might Also Want To Know\n===========\n\n{Q}", []),
        (f"YOU MIGHT ALSO WANT TO KNOW:\n\n{Q}", []),
        (f"You _might also_ want to know:\n\n{Q}", []),
        (f"You might\nalso want to know:\n\n{Q}", []),
        (f"You might\u00a0also want to know:\n\n{Q}", []),
        ("You might also want to know: What? When? Who?", []),
        ("You might also want to know:\n1. What?\n2. When?\n3. Who?", []),
        ("You might also want to know:\n> What?\n> When?\n> Who?", []),
        ("You might also want to know:\n- 何ですか？\n- いつですか？\n- 誰ですか？", []),
        ("You might also want to know:\n- ما هذا؟\n- متى؟\n- من؟", []),
        ("You might also want to know:\n- ¿Qué?\n- ¿Cuándo?\n- ¿Quién?", []),
        ("You might also want to know:\n- Τι;\n- Πότε;\n- Ποιος;".replace(";", "\u037e"), []),
        ("You might also want to know:\n- What?!\n- When??\n- Who?", []),
        (f"You might also want to know:\n\n{Q}\n\n## Imprint\n\nText", []),
        ("You might also want to know:\n- What?\n- When?", FEW),
        ("You might also want to know:\n- What?\n- What?\n- What?", FEW),
        ("You might also want to know:\n- what?\n- What ?\n- When?", FEW),
        ("You might also want to know:\n- What???", FEW),
        ("You might also want to know:", FEW),
        ("You might also want to know:\n- Prices\n- Dates\n- Names", FEW),
        (f"{Q}\n\nYou might also want to know:", FEW),
        (f"You might also want to know:\n\n## Other\n\n{Q}", FEW),
        (f"You might also want to know:\n```\n{Q}\n```", FEW),
        ("You might also want to know: https://x.io/?a=1 https://x.io/?b=2 www.x.io/?c=3", FEW),
        ("You might also want to know:\n- What `a?` `b?`\n- When?", FEW),
        (f"```\nYou might also want to know:\n{Q}\n```", NONE),
        (f"`might also want to know`\n{Q}", NONE),
        ("You mightalso want to know", NONE),
        (f"You might want to know:\n{Q}", NONE),
        (f"You might also want to know this.\n\n# So\n\nYou might also want to know:\n{Q}", []),
    ],
)
def test_the_section_and_its_questions_are_found_wherever_they_stand(
    text: str, found: list[str]
) -> None:
    assert rules(follow_ups(), text) == found


def test_headings_and_number_of_questions_are_settings() -> None:
    check = follow_ups(headings=["Weitere Fragen"], at_least=2)

    assert rules(check, "Weitere Fragen:\n- Was?\n- Wann?") == []
    assert rules(check, "Weitere Fragen:\n- Was?") == FEW
    assert "Weitere Fragen" in check.asks


def test_a_finding_counts_the_questions_and_asks_for_the_rest() -> None:
    (finding,) = findings(follow_ups(), "You might also want to know:\n- What?\n- When?")

    assert "has 2 questions; it needs 3" in finding.issue
    assert "at least 3 different questions" in (finding.correction or "")
