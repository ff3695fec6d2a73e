from __future__ import annotations

import re

from mulligan.redaction.text import Edit, apply_edits, hide_matches, hide_where


def test_stretches_are_replaced_and_the_rest_stays() -> None:
    assert apply_edits("abcdef", [Edit(0, 1, "<x>"), Edit(3, 5, "")]) == "<x>bcf"
    assert apply_edits("abc", []) == "abc"


def test_a_rule_hides_a_match_or_what_follows_one_of_its_groups() -> None:
    pattern = re.compile("(k=)[0-9]+")

    assert list(hide_matches(pattern, "<n>")("k=12 k=3")) == [Edit(0, 4, "<n>"), Edit(5, 8, "<n>")]
    assert list(hide_matches(pattern, "<n>", after=1)("k=12")) == [Edit(2, 4, "<n>")]


def test_a_rule_may_leave_a_match_alone() -> None:
    find = hide_where(re.compile("[0-9]+"), lambda found: "<n>" if len(found[0]) > 1 else None)

    assert list(find("1 22")) == [Edit(2, 4, "<n>")]
