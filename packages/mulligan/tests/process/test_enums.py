from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.loops.review import Area, Remark
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Finding, Severity, Source, Standing, Verdict, reach_verdict
from mulligan.types.lesson import ErrorRule

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def test_an_error_in_plain_words_is_an_error() -> None:
    wrong = Finding(rule="x.y", severity="error", issue="Wrong.", source="judge")

    assert (wrong.severity, wrong.source) == (Severity.ERROR, Source.JUDGE)
    assert reach_verdict([wrong]).standing is Standing.REJECTED
    assert replace(wrong, severity="warning").severity is Severity.WARNING


@pytest.mark.parametrize("given", ["fatal", "ERROR", None, 3])
def test_a_word_that_is_none_of_them_is_refused_where_it_is_written(given: object) -> None:
    with pytest.raises(ConfigurationError, match="Use 'error' or 'warning'"):
        Finding(rule="x.y", severity=given, issue="Wrong.")


def test_the_others_that_people_build_take_words_too() -> None:
    call = Call(id="c", tool="t")
    done = Execution(call=call, outcome="success", at=NOW, duration=timedelta())

    assert done.outcome is Outcome.SUCCESS
    assert Failure(error_class="validation").error_class is ErrorClass.VALIDATION
    assert ErrorRule(says="no", error_class="validation").error_class is ErrorClass.VALIDATION
    assert Remark(area="date", severity="error", issue="?").area is Area.DATE
    assert Verdict(standing="accepted", confidence="high").standing is Standing.ACCEPTED
    with pytest.raises(ConfigurationError, match="no such outcome"):
        replace(done, outcome="fine")
