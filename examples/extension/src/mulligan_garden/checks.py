"""A check of what agents do, and a kind of check for replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mulligan.checks.subject import Subject
from mulligan.types.finding import Finding, Severity
from mulligan.types.reply import Reply, TextCheck

SEASON = ("march", "april", "may")


def in_season(attempted: Subject) -> Iterator[Finding]:
    """`Mulligan(checks=["in_season"])`: nothing is planted in autumn or winter."""
    for execution in attempted.executions:
        call = execution.call
        if call.tool == "plant" and call.arguments["month"] not in SEASON:
            yield Finding(
                rule="garden.out_of_season",
                severity=Severity.ERROR,
                issue=f"Nothing grows that is planted in {call.arguments['month']}.",
                correction=f"Plant it in {SEASON[0]}.",
                call=call.id,
            )


def names_plants(*, plants: Iterable[str], severity: Severity = Severity.ERROR) -> TextCheck:
    """`kind = "names_plants"` in a file of checks: the reply names each of these."""
    wanted = tuple(plants)

    def look(reply: Reply) -> Iterator[Finding]:
        for plant in wanted:
            if plant not in reply.text:
                yield Finding(
                    rule="garden.unnamed_plant",
                    severity=severity,
                    issue=f"The reply does not name {plant!r}.",
                    correction=f"Name {plant!r}.",
                )

    return TextCheck(name="names_plants", look=look, asks=f"Name {', '.join(wanted)}.")
