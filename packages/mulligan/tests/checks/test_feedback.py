from __future__ import annotations

from mulligan.checks.feedback import choose_best_round, mend_reply, name_text_check, render_feedback
from mulligan.checks.text import avoids, length
from mulligan.types.engine import Round
from mulligan.types.finding import Finding, Severity, Verdict, reach_verdict
from mulligan.types.policy import Step
from mulligan.types.reply import Reply

WRONG = Finding(
    rule="own.x", severity=Severity.ERROR, issue="It is wrong.", correction="Mend it.", quote="so"
)


def test_a_writer_is_told_what_where_and_how_and_what_is_asked_for() -> None:
    told = render_feedback(reach_verdict([WRONG]), [length(at_least=10)])

    for words in ("- It is wrong.", "Where: “so”", "Fix: Mend it.", "Write at least 10 characters"):
        assert words in told.text
    assert told.findings == (WRONG,)


def test_what_a_rule_can_put_right_is_put_right_and_a_broken_check_changes_nothing(caplog) -> None:
    def broken(text: str) -> str:
        raise ValueError

    cut = length(at_most=20, cut=True)
    long = Reply(text="One sentence. Two sentences. Three sentences.")
    breaks = avoids(words=["one"])

    assert len(mend_reply(long, [cut]).text) <= 20
    assert (
        mend_reply(long, [type(breaks)(name="x", look=breaks.look, asks="", mend=broken)]) == long
    )
    assert "cannot mend" in caplog.text


def play(number: int, text: str, *findings: Finding) -> Round[Reply, Verdict]:
    return Round(
        number=number, subject=Reply(text=text), verdict=reach_verdict(findings), step=Step.RETRY
    )


def test_the_best_try_has_a_text_then_the_fewest_errors_and_is_the_last_of_equals() -> None:
    rounds = [play(1, "a", WRONG, WRONG), play(2, "b", WRONG), play(3, "c", WRONG), play(4, "")]

    assert choose_best_round(rounds).number == 3


def test_a_check_has_a_name_whatever_it_is() -> None:
    assert name_text_check(length(at_least=1)) == "length"
    assert name_text_check(play) == "play"  # type: ignore[arg-type]
