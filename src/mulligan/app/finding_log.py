"""What reviews find, handed to the log, so that it can be counted by rule, tool and agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mulligan.core.event import AttemptReviewed
from mulligan.core.finding import FindingRow, FindingSeen
from mulligan.turns.calls.runtime import Runtime


def log_findings(reviewed: AttemptReviewed, *, runtime: Runtime) -> None:
    """Keep each finding of a review; that of a second review of the same attempt counts once."""
    if reviewed.found:
        runtime.log.note(_build_rows(reviewed, runtime=runtime))


def _build_rows(reviewed: AttemptReviewed, *, runtime: Runtime) -> Iterator[FindingRow]:
    label, alike = runtime.redactor.redact_label, Counter[FindingSeen]()
    for seen in reviewed.found:
        alike[seen] += 1
        server, tool, rule = map(label, (seen.server, seen.tool, seen.rule))
        which = (reviewed.turn, str(reviewed.attempt), server, tool, rule, str(alike[seen]))
        yield FindingRow(
            id="/".join(which),
            at_us=runtime.wall_us(),
            tenant=reviewed.tenant,
            agent=reviewed.agent,
            server=server,
            tool=tool,
            rule=rule,
            severity=seen.severity.value,
        )
