"""Accounts, links and names from nowhere: what is no id, and no mailbox either."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from mulligan.checks.concern import limit_to_parameters
from mulligan.checks.standard.seen_values import Origin, with_seen
from mulligan.checks.subject import Subject, list_arguments
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]{2,}")


def targets_seen(parameters: Mapping[str, Collection[str]]) -> Check[Subject]:
    """Flag an account or a link that was never seen before the call that uses it.

    Mailboxes are left to `addresses_seen`, which reads them in every form. Something without any
    digit or dot is a name, and seen if one of its words was.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, seen in with_seen(subject):
            for argument in list_arguments(execution, parameters.get(execution.call.tool, ())):
                value = argument.value
                if "@" in value or seen.find_origin(value) is not Origin.NOWHERE:
                    continue
                plain = not _DIGIT.search(value) and "." not in value
                words = _WORD.findall(value)
                if seen.has_written(value) or (plain and any(map(seen.has_word, words))):
                    continue
                yield argument.build_finding(
                    "value.never_seen",
                    issue="which nobody said and no tool returned.",
                    correction=f"Look {argument.label} up first, or ask for it.",
                )

    return check
