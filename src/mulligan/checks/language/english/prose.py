"""What is listened for in English texts that models write."""

from __future__ import annotations

import re

from mulligan.checks.language.prose import ProsePhrases, build_dates, build_weekdays
from mulligan.checks.language.tables import build_set

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
# Short forms count only with a capital: "sat" and "sun" are words.
_WEEKDAYS = (
    ("monday", "Mon"),
    ("tuesday", "Tues?"),
    ("wednesday", "Wed"),
    ("thursday", "Thu(?:rs?)?"),
    ("friday", "Fri"),
    ("saturday", "Sat"),
    ("sunday", "Sun"),
)

_WHICH = (
    r"(?:all|any|each|every|the|these|those|this|that|your|its|our|of|other|previous|prior|earlier|"
    r"preceding|following|above|original|static|owner's|stated|given|system)"
)
_TASK = (
    rf"(?:(?:{_WHICH}\s+){{1,4}}(?:instructions?|task|contract|rules|guidelines|requirements|"
    r"constraints|expected output|output format|definition|prompt|guardrails?|system message|notes)"
    r"|instructions|(?:previous|prior|earlier|preceding|above)\s+(?:text|messages?|content)"
    r"|(?:everything|anything|all|whatever|what)\s+(?:\w+\s+){0,3}?(?:told|said|asked|above|below))"
    # The end of the object: "the rules row" is a row, "everything below the table" is a place.
    r"(?=\s*(?:[.,;:!?)\"'\n]|$)|\s+(?:and|or|but|below|above|that|which|you|when|whenever|while|because|so|as|if|in|entirely|"
    r"completely|described|given|here|now|to)\b)"
)
"""The task itself, or who gave it, as the object of a sentence."""
_DISMISS = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|supersede|replace|drop|discard|skip|"
    r"neglect|violate|circumvent)s?"
    r"|(?:no longer|not|never|don\W?t|stop|without|instead of|rather than)\s+"
    r"(?:need(?:ed|s|ing)?\s+(?:to\s+)?|have\s+to\s+|to\s+|be\s+)?"
    r"(?:follow|obey|comply with|honou?r|apply|adhere to|respect)(?:ing|s)?"
)
_DISMISSED = (
    r"(?:is|are|was|were)\s+(?:now\s+)?(?:obsolete|void|superseded|cancell?ed|revoked|invalid|"
    r"outdated|lifted|no longer (?:valid|needed|binding|relevant|in force))"
    r"|no longer (?:appl(?:y|ies)|holds?)|do(?:es)? not apply"
    r"|(?:can|may|should|must) (?:safely )?be (?:ignored|skipped|dropped|disregarded|overridden)"
)
_SECRETS = (
    r"(?:system prompt|api[ _-]?keys?|passwords?|credentials|secrets|access tokens?|private keys?|"
    r"environment variables)"
    # "The password policy" and "the API key field" are no secrets.
    r"(?!\s+(?:polic|reset|rotat|rule|field|form|page|length|manage|count|expir|column|strength))"
)
_HANDING_OUT = (
    r"(?:ask(?:ing)?\s+(?:\S+\s+){0,3}?for|request|demand|collect|reveal|print|show|send|post|"
    r"upload|forward|e-?mail|leak|exfiltrate|output|include|share|"
    r"return|write out|append|repeat)"
)

_OVERRIDES = re.compile(
    rf"\b(?:{_DISMISS})\s+{_TASK}"
    rf"|\b(?:(?:the|these|those|all|your)\s+(?:\S+\s+)?(?:instructions?|task|contract|rules|"
    rf"guidelines|requirements|constraints|expected output|output format|prompt)"
    rf"|everything\s+(?:written|said|asked|told))\s+"
    rf"(?:(?:described|given|stated|above|below)\s+){{0,2}}(?:{_DISMISSED})\b",
    re.IGNORECASE,
)
_HANDS_OUT = re.compile(
    rf"\b{_HANDING_OUT}\s+(?:(?:{_WHICH}|me|us|them|user|their|his|her)\s+){{0,3}}{_SECRETS}\b",
    re.IGNORECASE,
)

PROSE = ProsePhrases(
    months=_MONTHS,
    dates=build_dates(_MONTHS, ordinal="st|nd|rd|th", before="the ", of="of "),
    weekdays=build_weekdays(_WEEKDAYS),
    tying=build_set(
        "is was are be being been would will falls fell fall lands landed on a an the this that "
        "which it it's that's actually really in fact indeed already still also actual real "
        "correct proper right true day date weekday called i.e"
    ),
    denying=build_set("not never isn't wasn't isnt"),
    placing=build_set(
        "moved scheduled rescheduled booked placed put created set used uses picked chose entered "
        "added"
    ),
    leading=build_set("to on for as a an the it event onto actually"),
    wanting=build_set(
        "asked asks said says want wants wanted should must meant means requested request "
        "supposed need needs needed expected intended ought wished if unless would could please"
    ),
    clause_end=re.compile(
        r"[.;,!?]|\b(?:but|and|while|whereas|although|though|instead of|rather than)\b",
        re.IGNORECASE,
    ),
    no_such_id=re.compile(
        r"\b(?:does not|doesn't|did not|didn't|not) exist|\bno such\b|\bnot found\b"
        r"|\bnon-?existent\b|\binvalid\b|\bnot (?:a |an )?(?:valid|real)\b|\bmalformed\b"
        r"|\bmade[- ]up\b|\bfabricated\b|\bhallucinated\b|\binvented\b|\bconcatenat"
        r"|\bunknown\b|\bwrong format\b",
        re.IGNORECASE,
    ),
    use=(
        r"\b(?:use|with|to)\b(?:\s+(?:the|event|id|real|right|correct|actual|value|of))*"
        r"[\s:'\"`(]+"
    ),
    overrides=_OVERRIDES,
    hands_out=_HANDS_OUT,
    poses=re.compile(
        r"\byou are (?:now|no longer) (?:a|an|the|in|bound|free)\b"
        r"|\bnew (?:system )?(?:instructions?|persona)\b",
        re.IGNORECASE,
    ),
)
