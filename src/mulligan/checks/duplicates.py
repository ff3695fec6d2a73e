"""The same thing made twice."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Subject, list_effective_calls
from mulligan.core.call import Call
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check


def made_once(*tools: str) -> Check[Subject]:
    """Flag the second of two equal calls of a tool that makes or sends something.

    If the message has a word that could ask for several, it is only a warning.
    """

    @limit_to_tools(tools)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        several = choose_requests(message).several.search(message)
        made: list[Call] = []
        for execution in list_effective_calls(subject):
            call = execution.call
            if call.tool not in tools:
                continue
            if any(_is_same_call(call, other) for other in made):
                yield Finding(
                    rule="call.repeated",
                    severity=Severity.WARNING if several else Severity.ERROR,
                    issue=f"{show_name(call.tool)} was called more than once with "
                    "the same arguments.",
                    correction="Make this call once, and not again.",
                    call=call.id,
                )
            made.append(call)

    return check


def _is_same_call(one: Call, other: Call) -> bool:
    return (one.tool, one.server) == (other.tool, other.server) and (
        dict(one.arguments) == dict(other.arguments)
    )
