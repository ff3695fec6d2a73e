"""What agents, their models and people are told of calls, less what opens something or pays.

Ids and people stay: an agent that is to use another id has to be told which, and a correction names
who was meant. What is hidden is hidden before anything is cut, so that none of it survives in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, takewhile

from mulligan.core.display.escape import format_value
from mulligan.core.display.quoted import Quoted
from mulligan.core.failures.advice import Advice
from mulligan.core.finding import Finding
from mulligan.redaction.scrub import scrub_value
from mulligan.redaction.secrets.hide import Hide
from mulligan.redaction.secrets.names import classify_name
from mulligan.redaction.secrets.pairs import HIDDEN
from mulligan.redaction.values.walk import FAILED

_SHORTEST = 4
"""Characters of a secret that is looked for in other places than its own."""
_HEAD = 12
"""So many of its first characters are enough: what is told may have been cut."""
_PARTS = 1_000
_DEPTH = 8
_WIDEST = 4_096
"""Characters of a value that are looked at: far more than a sentence shows of it."""
_EXACT_BITS = 256


def hide_secrets(text: str, *given: object) -> str:
    """A text less secrets, and less those that are named so in what a call was given."""
    try:
        for secret in sorted(set(_find_secrets(given)), key=len, reverse=True):
            text = _hide_known(text, secret)
        return scrub_value(text, prose=True, hide=Hide.SECRETS, ids=True)
    except Exception:  # noqa: BLE001 - values of others may refuse anything, and the call goes on
        return FAILED


def hide_in_arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call was given, less secrets, for who puts it into words."""
    return {name: _hide_value(value, name) for name, value in arguments.items()}


def hide_in_advice(advice: Advice, *given: object) -> Advice:
    """What to do about a failed call, as it is told."""
    ask = advice.ask and hide_secrets(advice.ask, *given)
    return replace(advice, why=hide_secrets(advice.why, *given), ask=ask)


def hide_in_findings(findings: Iterable[Finding], *given: object) -> tuple[Finding, ...]:
    """Findings as they are told, stored and shown: no reviewer looks at them any more."""
    return tuple(_hide_in_finding(each, given) for each in findings)


def _hide_in_finding(finding: Finding, given: tuple[object, ...]) -> Finding:
    said, opinion = finding.correction, finding.opinion
    return replace(
        finding,
        issue=hide_secrets(finding.issue, *given),
        correction=said and hide_secrets(said, *given),
        quote=hide_secrets(str(finding.quote), *given),
        opinion=opinion and Quoted(hide_secrets(opinion.raw, *given), opinion.origin),
    )


def _hide_value(value: object, name: str) -> object:
    if isinstance(value, list | tuple):
        return [_hide_value(each, name) for each in islice(value, _PARTS)]
    text = format_value(value)[:_WIDEST]
    shown = hide_secrets(text, {name: value})
    return value if shown == text else shown


def _find_secrets(value: object, name: str = "", depth: int = _DEPTH) -> Iterator[str]:
    """What stands under the name of a secret, at whatever depth."""
    match value:
        case Mapping() if depth:
            for key, inner in islice(value.items(), _PARTS):
                yield from _find_secrets(inner, _choose_name(key, name), depth - 1)
        case list() | tuple() | set() | frozenset() if depth:
            for inner in islice(value, _PARTS):
                yield from _find_secrets(inner, name, depth - 1)
        case str() | int() if name and _is_text(value):
            text = str(value)
            # As prose has it: under `session`, `morning` is no secret.
            if len(text) >= _SHORTEST and text not in hide_secrets(f"{name}: {text[:_WIDEST]}"):
                yield text


def _choose_name(key: object, above: str) -> str:
    return key if isinstance(key, str) and classify_name(key) else above


def _is_text(value: str | int) -> bool:
    """Whether it can be looked for: not `True`, and no number that takes long to write down."""
    return isinstance(value, str) or (
        not isinstance(value, bool) and value.bit_length() <= _EXACT_BITS
    )


def _hide_known(text: str, secret: str) -> str:
    """The text without a secret, also where its end was cut off."""
    head, at = secret[:_HEAD], 0
    while (at := text.find(head, at)) >= 0:
        pairs = zip(text[at : at + len(secret)], secret, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        text = f"{text[:at]}{HIDDEN}{text[at + same :]}"
        at += len(HIDDEN)
    return text
