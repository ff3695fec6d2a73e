"""Calls that their own tool will refuse: nothing comes of them, so nothing needs taking back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mulligan.checks.subject.concern import with_concern_of
from mulligan.checks.subject.subject import Subject
from mulligan.core.call import Call
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check


def only_warn(check: Check[Subject], *, refused: Callable[[Call], bool]) -> Check[Subject]:
    """Turn errors about calls that the tool refuses by itself into warnings.

    For calls that are checked before they run: the tool will tell the agent, and nothing happens.
    """

    def downgrade_errors(subject: Subject) -> Iterator[Finding]:
        harmless = {e.call.id for e in subject.executions if refused(e.call)}
        for finding in check(subject):
            if finding.call in harmless:
                yield replace(finding, severity=Severity.WARNING)
            else:
                yield finding

    return with_concern_of(downgrade_errors, check)
