"""What agents, their models and people are told of calls, less what opens something or pays.

Ids and people stay: an agent that is to use another id has to be told which, and a correction names
who was meant. What is hidden is hidden before anything is cut, so that none of it survives in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice

from mulligan.core.display.escape import format_value
from mulligan.core.display.quoted import Quoted
from mulligan.core.failures.advice import Advice
from mulligan.core.finding import Finding
from mulligan.redaction.scrub import scrub_value
from mulligan.redaction.secrets.hide import Hide
from mulligan.redaction.secrets.known import hide_known
from mulligan.redaction.values.keys import Keys
from mulligan.redaction.values.reading import remember_inside
from mulligan.redaction.values.stub import Stubs
from mulligan.redaction.values.walk import FAILED, ChangeText

_PARTS = 1_000
_WIDEST = 4_096
"""Characters of a value that are looked at: far more than a sentence shows of it."""
_KEYS = Keys(Stubs(bytes(16)))
"""What names say: no stub of theirs is shown."""


def hide_secrets(text: str, *given: object) -> str:
    """A text less secrets, and less those that are named so in what a call was given."""
    return _prepare(given)(text)


def _prepare(given: tuple[object, ...]) -> ChangeText:
    """What hides secrets in texts, once what is named so was looked for."""
    known: set[str] = set()
    try:
        remember_inside(given, known, keys=_KEYS)
    except Exception:  # noqa: BLE001 - values of others may refuse anything, and the call goes on
        return lambda _: FAILED
    return partial(_hide, known=known)


def _hide(text: str, *, known: set[str]) -> str:
    try:
        left = hide_known(str.__str__(text), known)
        return scrub_value(left, prose=True, hide=Hide.SECRETS, ids=True)
    except Exception:  # noqa: BLE001 - as above
        return FAILED


def hide_in_arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    """What a call was given, less secrets, for who puts it into words."""
    return {name: _hide_value(value, name) for name, value in arguments.items()}


def hide_in_advice(advice: Advice, *given: object) -> Advice:
    """What to do about a failed call, as it is told."""
    hide = _prepare(given)
    return replace(advice, why=hide(advice.why), ask=advice.ask and hide(advice.ask))


def hide_in_findings(findings: Iterable[Finding], *given: object) -> tuple[Finding, ...]:
    """Findings as they are told, stored and shown: no reviewer looks at them any more."""
    found = tuple(findings)
    hide = _prepare(given if found else ())
    return tuple(_hide_in_finding(each, hide) for each in found)


def _hide_in_finding(finding: Finding, hide: ChangeText) -> Finding:
    said, opinion = finding.correction, finding.opinion
    return replace(
        finding,
        issue=hide(finding.issue),
        correction=said and hide(said),
        quote=hide(str(finding.quote)),
        opinion=opinion and Quoted(hide(opinion.raw), opinion.origin),
    )


def _hide_value(value: object, name: str) -> object:
    if isinstance(value, list | tuple):
        return [_hide_value(each, name) for each in islice(value, _PARTS)]
    text = format_value(value)[:_WIDEST]
    shown = hide_secrets(text, {name: value})
    return value if shown == text else shown
