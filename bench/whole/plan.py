"""What each suite is run with: in full, and in the short form that only shows that it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

QUICK: Mapping[str, str] = {
    "crash": "--quick",
    "dashboard": "--store sqlite --rows 500 2000 --rounds 2 --short",
    "effects": "--histories 3",
    "engines": "--stories 1",
    "explore": "--blows 1 --tools versioned unversioned irreversible",
    "gateway": "--quick --alone",
    "gateway-chaos": "--rounds 3",
    "gateway-fuzz": "--frames 300",
    "gateway-matrix": "--no-install --short",
    "gateway-servers": "--no-install --calls 2 --no-story",
    "gateway-suites": "--no-install",
    "growth": "--most 1 --stalls 1",
    "hostile": "--loop calls --short",
    "hosts": "--runs 2",
    "injection": "--injections 20",
    "lookup": "--store sqlite --rows 200 1000 --rounds 2 --lookups 3",
    "overhead": "--quick --alone",
    "packs": "--kills 1",
    "pauses": "--pauses 1",
    "people": "--short",
    "poisoning": "--turns 60",
    "redaction": "--quick --alone",
    "replay": "--calls 200",
    "restarts": "--restarts 1 --actions 20",
    "scale": "--store sqlite --workers 1 --actions 20 --rows 1000 --decisions 2",
    "tasks": "--seeds 1 --runs 50",
    "text": "--quick --alone",
    "truth": "--histories 50",
    "years": "--store sqlite --rows 500 2000 --rounds 2",
}
"""What is short anyway is run as it is."""
ON_DATA = frozenset(
    {
        "ace-calls", "agentdojo", "api-answers", "bfcl", "bfcl-irrelevant", "calibration",
        "confidence", "dates", "desks", "dialogs", "errors", "exec-outputs", "faith", "fingerprint",
        "grounding", "memory", "repairs", "replies", "secrets", "sentences",
        "silent-errors", "solo-retail", "tau-decide", "tau-precheck", "tau-repair", "workbench",
        "wrong-dates",
    }
)  # fmt: skip
"""Suites that measure on a folder of data."""
KEEPS_APART = frozenset(
    {"ace-calls", "api-answers", "confidence", "dialogs", "exec-outputs", "solo-retail"}
)
"""Suites of whose public half a third was not looked at while rules were made."""
FEW_CASES = "--limit 20"
FORMS: Mapping[str, Sequence[str]] = {
    "overhead": ("--form pure", "--form fast"),
    "years": ("--store sqlite", "--store postgres"),
    **dict.fromkeys(sorted(KEEPS_APART), ("--part open", "--part kept")),
}
"""Suites that are run in full once for each of these."""


def list_forms(suite: str, *, quick: bool) -> Sequence[str]:
    """What else a suite is run with, once for each."""
    return ("",) if quick else FORMS.get(suite, ("",))


def list_arguments(suite: str, *, quick: bool, data: Path | None, half: str) -> list[str] | None:
    """What to run a suite with; `None` where it needs data and there is none."""
    if suite not in ON_DATA:
        return QUICK.get(suite, "").split() if quick else []
    if data is None:
        return None
    return ["--data", str(data), "--half", half, *(FEW_CASES.split() if quick else ())]


def were_rules_made_on(suite: str, arguments: str) -> str:
    """Whether the data that a suite was run on was read while rules were made; empty: it has none.

    Of some suites a part was kept apart, and the held-out half nobody has.
    """
    if suite not in ON_DATA:
        return ""
    return "no" if {"kept", "heldout"} & set(arguments.split()) else "yes"
