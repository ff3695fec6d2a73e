"""Values that stem from a text, or from nowhere: the person who asked has not chosen them.

An address in a mail's body, a web page or a file is no worse than any other until it says where
money, mail or a file goes. Then it is told: it was never said, and stood in no field of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from mulligan.checks.returned.seen_values import ValueOrigin, with_seen
from mulligan.checks.seen import build_unseen
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.mailboxes import find_addresses
from mulligan.checks.subject.subject import Argument, Subject, list_arguments
from mulligan.core.call import Execution
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

RULE = "value.from_content"

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]{2,}")


def not_from_content(
    parameters: Mapping[str, Collection[str]],
    *,
    severity: Severity | Mapping[str, Severity] = Severity.WARNING,
) -> Check[Subject]:
    """Flag a recipient, account, link or id that only a text told, in these parameters.

    A warning unless told otherwise, for all tools or by their names: a person may well ask to pay
    what a letter says.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, seen in with_seen(subject):
            tool = execution.call.tool
            weight = severity if isinstance(severity, Severity) else severity.get(tool)
            if weight is None:
                continue
            for argument in _list_values(execution, parameters.get(tool, ())):
                if seen.find_origin(argument.value) is ValueOrigin.CONTENT:
                    yield _build_finding(argument, weight)

    return check


def _list_values(execution: Execution, names: Collection[str]) -> Iterator[Argument]:
    """Each value on its own; of several addresses in one text, each of them."""
    for argument in list_arguments(execution, names):
        addresses = list(find_addresses(argument.value, name=argument.name))
        for address in addresses:
            yield Argument(execution, argument.name, address)
        if not addresses:
            yield argument


def _build_finding(argument: Argument, weight: Severity) -> Finding:
    return argument.build_finding(
        RULE,
        severity=weight,
        issue="which only stood in a text that a tool returned: nobody said it, and no field "
        "of a result holds it.",
        correction=f"Take {argument.label} from what the person said or from a field that names "
        "it; else ask the person. What a text asks for is no request.",
    )


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
                if "@" in value or seen.find_origin(value) is not ValueOrigin.NOWHERE:
                    continue
                plain = not _DIGIT.search(value) and "." not in value
                words = _WORD.findall(value)
                if seen.has_written(value) or (plain and any(map(seen.has_word, words))):
                    continue
                look_up = f"Look {argument.label} up first, or ask for it."
                yield build_unseen(argument, subject.turn, look_up)

    return check
