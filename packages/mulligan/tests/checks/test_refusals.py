from __future__ import annotations

from mulligan.checks.custom import only_warn
from mulligan.checks.provenance import ids_seen
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran, severities


def test_a_call_that_its_tool_refuses_is_only_warned_of() -> None:
    check = only_warn(
        ids_seen({"delete": ["id"], "drop": ["id"]}), refused=lambda call: call.tool == "drop"
    )

    findings = check(attempt("Delete it", ran("delete", {"id": "a1"}), ran("drop", {"id": "?"})))

    assert severities(findings) == [Severity.ERROR, Severity.WARNING]
