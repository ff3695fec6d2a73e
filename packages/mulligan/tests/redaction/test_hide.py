from __future__ import annotations

from mulligan.redaction.text import Hide


def test_each_class_hides_what_those_before_it_hide() -> None:
    order = [Hide.SECRETS, Hide.PERSONAL, Hide.ALL]

    covered = [[each.covers(other) for other in order] for each in order]

    assert covered == [[True, False, False], [True, True, False], [True, True, True]]
