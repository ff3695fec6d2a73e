"""Finding web addresses, e-mail addresses and phone numbers, in one form each."""

from __future__ import annotations

import re

from mulligan.checks.grounding.digits import Run
from mulligan.core.runtime.dataclass import dataclass

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b", re.IGNORECASE)
_PHONE = re.compile(r"\d[\d\s().\-/]{5,22}\d(?![\w,/%])")
_NOT_BEFORE_PHONE = re.compile(r"[\w.,/$€£-]")
_GROUPED = re.compile(r"\d{1,3}(?:[ .]\d{3})+(?:,\d+)?|\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{2,4}")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*:(?://)?(?:www\.)?|^www\.")
FEWEST_DIGITS = 7
SAME_ENDING = 7
"""Digits at the end that make two phone numbers one, with or without a country's prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something found in a text, as it is compared."""

    value: str
    start: int
    end: int


def find_emails(text: str) -> list[Found]:
    """Every e-mail address."""
    if "@" not in text:
        return []
    return [
        Found(value=found[0].casefold(), start=found.start(), end=found.end())
        for found in _EMAIL.finditer(text)
    ]


def find_phones(text: str, runs: list[Run]) -> list[Found]:
    """Every phone number, as its digits. A grouped number or a date is none."""
    if sum(end - start for start, end in runs) < FEWEST_DIGITS:
        return []
    found: list[Found] = []
    done = 0
    for at, _ in runs:
        match = _PHONE.match(text, at) if at >= done else None
        if match is None:
            continue
        start = at - (text[at - 1 : at] in ("+", "("))
        start -= text[start - 1 : start] == "+"
        number = text[start : match.end()]
        digits = re.sub(r"\D", "", number)
        marked = number[0] in "+(0" or "-" in number or number.count(" ") > 1
        if len(digits) < FEWEST_DIGITS or not marked or _GROUPED.fullmatch(number):
            continue
        if not _NOT_BEFORE_PHONE.match(text[start - 1 : start]):
            found.append(Found(value=digits, start=start, end=match.end()))
            done = match.end()
    return found


def is_same_phone(one: str, other: str) -> bool:
    """Whether two runs of digits can be one number."""
    return one[-SAME_ENDING:] == other[-SAME_ENDING:]


def normalize_link(link: str) -> str:
    """A web address as it is compared: no scheme, no `www.`, no closing slash, no fragment."""
    bare = _SCHEME.sub("", link.strip().casefold())
    return bare.partition("#")[0].rstrip("/.,")


def leads_within(link: str, known: str) -> bool:
    """Whether a known address lies at or below the link: a site's front page is known by it."""
    return known == link or known.startswith((f"{link}/", f"{link}?"))
