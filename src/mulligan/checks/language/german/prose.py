"""What is listened for in German texts that models write."""

from __future__ import annotations

import re

from mulligan.checks.language.prose import ProsePhrases, build_dates, build_weekdays
from mulligan.checks.language.tables import build_set

_MONTHS = (
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
)  # fmt: skip
_WEEKDAYS = (
    ("montag", "Mo"),
    ("dienstag", "Di"),
    ("mittwoch", "Mi"),
    ("donnerstag", "Do"),
    ("freitag", "Fr"),
    ("samstag|sonnabend", "Sa"),
    ("sonntag", "So"),
)

PROSE = ProsePhrases(
    months=_MONTHS,
    dates=build_dates(_MONTHS, ordinal=r"\.", before="(?:der|den|dem|am) "),
    # Short forms are words where a sentence begins: "So", "Do".
    weekdays=build_weekdays([(full, rf"{short}(?=\.)") for full, short in _WEEKDAYS]),
    tying=build_set(
        "ist war sind sei wäre wird fällt fiel liegt lag auf am an ein einen eine der die das den "
        "dem dies dieser es tatsächlich eigentlich wirklich schon auch richtig tag datum wochentag "
        "also"
    ),
    denying=build_set("nicht nie kein keinen keine"),
    placing=build_set(
        "verschoben verlegt gelegt gebucht geplant eingetragen angelegt gesetzt benutzt verwendet "
        "gewählt genommen"
    ),
    leading=build_set("auf am an für den dem der einen es tatsächlich"),
    wanting=build_set(
        "wollte will wollten bat bittet sagte sagt soll sollte muss musste meinte meint verlangte "
        "wünschte braucht erwartet gewünscht wenn falls würde könnte bitte"
    ),
    clause_end=re.compile(
        r"[.;,!?](?!\s?\d)|\b(?:aber|und|während|obwohl|statt|anstatt|sondern)\b", re.IGNORECASE
    ),
    no_such_id=re.compile(
        r"\b(?:existiert|gibt es) (?:so )?nicht\b|\bnicht gefunden\b|\bungültig\w*|\berfunden\w*"
        r"|\bunbekannt\w*|\bfalsches? format\b|\bkeine (?:gültige|echte)\b",
        re.IGNORECASE,
    ),
    use=(
        r"\b(?:verwende|nutze|benutze|nimm|mit|auf)\b"
        r"(?:\s+(?:die|das|den|id|richtige|echte|wert))*[\s:'\"`(]+"
    ),
)
