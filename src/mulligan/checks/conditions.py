"""Acting although the condition was not met: "if it was more than 10 …", and it never was."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Subject
from mulligan.checks.subject.values import list_numbers
from mulligan.core.call import Outcome
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check
from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The condition a request hangs on: some number above or below a bound."""

    words: str
    bound: float
    above: bool

    def holds(self, number: float) -> bool:
        """Whether a number meets it."""
        return number > self.bound if self.above else number < self.bound


def condition_met(*tools: str) -> Check[Subject]:
    """Flag a call of these tools if the message has one condition, and nothing read meets it.

    It stays silent where the message has two ways to go, more than one comparison or a unit; as
    long as no number was read; and as soon as any number read, of whatever it is, meets it.
    """

    @limit_to_tools(tools, when=lambda turn: parse_condition(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        condition = parse_condition(subject.turn.message)
        if condition is None:
            return
        read = [number for e in subject.earlier for number in list_numbers(e.result)]
        for execution in subject.executions:
            acted = execution.call.tool in tools and execution.outcome is not Outcome.FAILURE
            if acted and read and not any(map(condition.holds, read)):
                yield Finding(
                    rule="condition.not_met",
                    severity=Severity.ERROR,
                    issue=f"{show_name(execution.call.tool)} was called, but of "
                    f"{len(read)} numbers read none is {condition.words}.",
                    correction="Do nothing where the condition is not met; say so instead.",
                    call=execution.call.id,
                )
            read += list_numbers(execution.result)

    return check


def parse_condition(message: str) -> Threshold | None:
    """The one comparison that a request hangs on, or `None`."""
    bare = drop_quotes(message)
    phrases = choose_requests(bare)
    found = phrases.comparison.search(bare)
    if not found or len(phrases.compared.findall(bare)) != 1:
        return None
    if not phrases.condition.search(bare) or phrases.two_ways.search(bare):
        return None
    return Threshold(
        words=found.group(),
        bound=float(found["number"].replace(",", "")),
        above=found["words"].casefold() in phrases.above,
    )
