from __future__ import annotations

import json

from mulligan.core.finding import Confidence, Finding, Severity, Standing, reach_verdict
from mulligan.core.replied import Iteration, Replied
from mulligan.core.text import Reply


def test_what_travels_with_a_reply_is_ready_for_json() -> None:
    found = Finding(rule="own.x", severity=Severity.ERROR, issue="Wrong.", quote="this")
    reply, verdict = Reply(text="this"), reach_verdict([found])
    tries = (Iteration(reply=reply, verdict=verdict, feedback="Mend it."),) * 2
    replied = Replied(
        reply=reply,
        standing=Standing.REJECTED,
        confidence=Confidence.LOW,
        findings=verdict.findings,
        iterations=tries,
        bound_reached=True,
        checks_run=("own",),
        limit="time",
    )

    told = json.loads(json.dumps(replied.metadata))

    assert (told["iteration_count"], told["standing"], told["limit"]) == (2, "rejected", "time")
    assert told["findings"][0][0]["rule"] == "own.x"
    assert replied.text == "this"
