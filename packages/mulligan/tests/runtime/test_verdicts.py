from __future__ import annotations

from mulligan.runtime.review import WORST_FIRST, describe_rejection
from mulligan.types.finding import Finding, Severity, Standing, Verdict


def test_a_rejection_outweighs_all_else() -> None:
    assert min(Standing, key=WORST_FIRST.index) is Standing.REJECTED
    assert set(WORST_FIRST) == set(Standing)


def test_a_rejection_names_what_was_wrong_and_no_warning() -> None:
    wrong = Finding(rule="a.b", severity=Severity.ERROR, issue="It was wrong.")
    doubt = Finding(rule="c.d", severity=Severity.WARNING, issue="Hm.")

    said = describe_rejection(
        Verdict(standing=Standing.REJECTED, confidence=None, findings=(wrong, doubt))
    )

    assert "It was wrong." in said.found
    assert "Hm." not in said.found
