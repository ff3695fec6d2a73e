"""Long runs of letters and digits: which of them are tokens, and which are paths, names and ids."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.redaction.secrets.checksums import has_iban
from mulligan.redaction.secrets.edits import Edit
from mulligan.redaction.secrets.names import classify_name, names_ids

MASKS = "\ue000-\uf8ff"
"""Stand-ins for masked arguments. They count as part of a secret they lie in."""

_RUN = re.compile(rf"(?<![A-Za-z0-9+/_={MASKS}-])[A-Za-z0-9+/_={MASKS}-]{{18,}}+")
_LETTER = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"[0-9]")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUIDS = re.compile(rf"(?<![0-9A-Za-z]){UUID.pattern}(?![0-9A-Za-z])")
_PARTS = re.compile(rf"[^/_+={MASKS}-]+")
_CAPITAL = "(?:[A-Z]{1,6}[a-z]{2,}|By|Id|To|In|Of|On|At|Is|No|Up|Or|As|Db|Ip)"
"""A word of a name in one piece, such as `getUserById2`."""
_WORDY = re.compile(
    r"[0-9]{1,12}"
    rf"|[a-z]+|[A-Z]+|[a-z]{{2,}}{_CAPITAL}*[0-9]{{0,4}}|{_CAPITAL}+[0-9]{{0,4}}"
    r"|[A-Za-z]{1,4}[0-9]{1,12}|[0-9]{1,4}[A-Za-z]{1,3}|[A-Z]{2,}[0-9]{1,4}"
    r"|[0-9]{8}T[0-9]{4,6}Z?"
)
_ENOUGH = 16
"""So many characters that belong to no word and no number are a token."""

# Ids that services give to their own objects, and that open nothing.
_OBJECT = re.compile(
    r"(?:acct|asst|batch|call|card|cart|ch|chat|chatcmpl|conv|cus|doc|evt|event|file|ft|grp|in|inv|item"
    r"|job|msg|ord|order|org|pay|pi|plan|pm|price|prod|proj|rec|ref|req|resp|run|seti|si|srv|step|sub"
    r"|task|team|thread|ticket|tool|toolu|tr|trace|tx|txn|user|usr|vs|wf|ws)"
    r"[-_][A-Za-z0-9]{10,40}"
)
_SORTABLE = re.compile(r"01[0-9A-HJKMNP-TV-Z]{24}")
# What MongoDB gives: seconds since 1970 first, here from 2009 to 2037.
_DOCUMENT = re.compile(r"(?:4[a-f]|[56][0-9a-f]|7[0-9a-e])[0-9a-f]{22}")
_HEX = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
_DIGEST = re.compile(
    r"(?:sha-?(?:1|224|256|384|512)?|md5|blake\w{0,3}|commit|revision|digest|checksum|etag|git|blob|tree"
    r"|fingerprint|crc\w{0,2}|object|merge|head|parent|trace[ _-]?id|span[ _-]?id)"
    r"[\s:=@#/\"'(-]{1,5}\Z",
    re.IGNORECASE,
)
_SUBRESOURCE = re.compile(r"sha(?:256|384|512)-[A-Za-z0-9+/]{43,86}={0,2}")
# A bank account opens nothing; where people are hidden, it is gone by now.
_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_NAMED = re.compile(r"""([A-Za-z][\w-]{0,40})\\?["']\s{0,2}:\s{0,2}\\?["']\Z""")
"""JSON in a text names its values as a dictionary does."""
_ABOUT = 60


def find_tokens(text: str, *, objects: bool = False) -> Iterator[Edit]:
    """Runs that are neither words nor numbers, nor, unless `objects`, what names an object."""
    for found in _RUN.finditer(text):
        start, run = found.start(), found[0]
        one_case = run.isupper() or run.islower()
        if not _LETTER.search(run) or (one_case and not _DIGIT.search(run)):
            continue
        span = _find_random_part(run)
        if span and (objects or not _names_object(run[span[0] : span[1]], text, start + span[0])):
            yield Edit(start + span[0], start + span[1], "<token>")


def find_any_token(text: str) -> Iterator[Edit]:
    """Every long run with letters and digits that is not plainly words."""
    for found in _RUN.finditer(text):
        run = found[0]
        digits = len(_DIGIT.findall(run))
        if not digits or not _LETTER.search(run):
            continue
        if digits > _MOST_DIGITS_IN_WORDS or not _WORDS.fullmatch(run) or not _LONG.search(run):
            yield Edit(*found.span(), "<uuid>" if UUID.fullmatch(run) else "<token>")


# `python3/site-packages`, `HTTP_STATUS_404`: one case, few digits, all at the end of a word.
_WORDS = re.compile(
    r"(?:[a-z]*[0-9]{0,3}[/_-])+[a-z]*[0-9]{0,3}|(?:[A-Z]*[0-9]{0,3}[/_-])+[A-Z]*[0-9]{0,3}"
)
_LONG = re.compile(r"[A-Za-z]{6}")
_MOST_DIGITS_IN_WORDS = 3


def _find_random_part(run: str) -> tuple[int, int] | None:
    """From the first part that is no word to the last, if they are long enough together."""
    first, last, count = 0, 0, 0
    # A UUID is as good as a word.
    for part in _PARTS.finditer(_UUIDS.sub("u" * 36, run)):
        start, end = part.span()
        if _WORDY.fullmatch(part[0]):
            continue
        if not count:
            first = start
        last = end
        count += end - start
    if count < _ENOUGH:
        return None
    return _extend_span(run, first, last)


def _extend_span(run: str, first: int, last: int) -> tuple[int, int]:
    """To the slashes around it: what is joined by other signs is one token with it."""
    return run.rfind("/", 0, first) + 1, run.find("/", last) if "/" in run[last:] else len(run)


def _names_object(part: str, text: str, start: int) -> bool:
    if _OBJECT.fullmatch(part) or _SORTABLE.fullmatch(part) or _DOCUMENT.fullmatch(part):
        return True
    if _SUBRESOURCE.fullmatch(part) or (_ACCOUNT.fullmatch(part) and has_iban(part)):
        return True
    before = text[max(0, start - _ABOUT) : start]
    if (named := _NAMED.search(before)) and names_ids(named[1]) and not classify_name(named[1]):
        return True
    return _HEX.fullmatch(part.lower()) is not None and _DIGEST.search(before) is not None
