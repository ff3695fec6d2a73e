"""Secrets recognised by their form, tokens too: rules in the order they are applied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mulligan.redaction import text as bit
from mulligan.redaction.names import classify_name, names_ids
from mulligan.redaction.numbers import find_any_number, find_cards, find_numbers
from mulligan.redaction.secrets import (
    HIDDEN,
    QUERY_SHOWN,
    find_before,
    find_beside,
    find_codes,
    find_in_curl,
    find_in_logins,
    find_in_mysql,
    find_in_tuples,
    find_logins,
    find_pairs,
    find_phrases,
    find_plain_logins,
    find_spoken,
    find_sql,
)
from mulligan.redaction.text import (
    Edit,
    Find,
    Found,
    Hide,
    hide_matches,
    hide_where,
)
from mulligan.types.values import has_iban

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


_XML = re.compile(r"<([A-Za-z][\w:.-]{0,63})((?:\s[^<>]{0,200})?>)[^<]++(?=</)", re.ASCII)
_PEM = re.compile(
    r"(?<!-)-{4,}+ ?BEGIN .*?(?:(?<!-)-{4,}+ ?END[^-]{0,64}(?:-{4,}+|\Z)|\Z)", re.DOTALL
)
_URL = re.compile(r'(:\\?/\\?/)([^\s"<>]+)')
_SCHEME_END = re.compile(r":\\?/\\?/")
_SCHEME_LENGTH = len("://")
_QUERY_START = re.compile(r"[?#]")
_QUERY = re.compile(r'\?[\w.~%\[\]-]{1,64}=[^\s"<>]*', re.ASCII)
_FLAG = re.compile(r"""(?<![\w-])--([A-Za-z][\w-]{1,40})["']?[,\s]\s{0,3}""", re.ASCII)
_FLAG_VALUE = re.compile(r"""<hidden>|"[^"]*+"?|'[^']*+'?|[^\s"'-][^\s"']*+""")
_SCHEME = re.compile(
    r"(?<![A-Za-z])((bearer|basic)(?:\s|%20){1,4})([A-Za-z0-9+/_=.~-]{4,})",
    re.ASCII | re.IGNORECASE,
)
_JWT = re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{13,}(?:\.[\w-]*)*", re.ASCII)
# Each has a run of at least 16 letters, digits, `_` and `-`: the prefilter counts on it.
_VENDOR = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|APKA|AROA)[A-Z0-9]{12,}"
    r"|(?:gh[oprsu]|npm|hf)_\w{13,}|github_pat_\w{12,}|gl[a-z]{2,6}-[\w-]{12,}"
    r"|(?:xox[a-z]|xapp|pypi)-[\w-]{11,}|sk-[\w-]{13,}|[prs]k_(?:live|test|prod)_\w{8,}"
    r"|whsec_\w{10,}|HRKU-[\w-]{12,}|AIza[\w-]{12,}|GOCSPX-[\w-]{9,}|AGE-SECRET-KEY-[A-Z0-9]{2,}"
    r"|(?:dop_v1|doo_v1|dor_v1|glsa|shp[a-z]{2}|sq0[a-z]{3}|rubygems|sntry[su]|lin_api|dckr_pat|figd"
    r"|tskey|PMAK|nvapi|pplx|gsk|xai)[-_][\w-]{12,}"
    r"|(?:rzp_(?:live|test)|xkeysib|xsmtpsib|sbp|sb_secret|pscale_(?:pw|tkn|oauth)|pul|sgp|ntn|glc"
    r"|(?:shippo|duffel)_(?:live|test)|lsv2_[ps][tk]|r8|tvly|e2b|fio-u|FLWSECK|FLWSECK_TEST|CFPAT"
    r"|NRAK|NRII|NRJS|phx|sq[aup]|tfp|vc[acikpr]|nfp|ory_[ar][tc]|pnu|rnd|rdme|zpka|apify_api|rootly"
    r"|SWMKEY-1|SWMTKN-1|fm[12]|fo1)[-_](?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{12,}[\w=-]*"
    r"|(?:ATATT3|ATCTT3|EZAK|EZTK)[\w=-]{16,}"
    rf"|(?:(?:api|sdk|mob)-|pat-[a-z]{{2}}[0-9]-){UUID.pattern}"
    r"|(?:SG|ya29|hv[brs]|dp\.(?:pt|st|ct|sa|scim|audit)|dt0[a-z][0-9]{2}|xoxe)\.[\w-]{16,}(?:\.[\w-]*)*)",
    re.ASCII,
)
_LOCAL = re.compile(r"""[^\s@<>"'(),:;=\[\]{}\\|/?&]+""")
_DOMAIN = re.compile(rf"\[?[\w{MASKS}-]++(?:\.[\w{MASKS}-]++)*+\]?")
_LONGEST_LOCAL = 128
_ENCODED_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]+%40[\w.%-]+", re.ASCII)
_IBAN = re.compile(
    r"[A-Z]{2}[0-9]{2}(?<![A-Za-z0-9].{4})(?:[ .-]?[A-Z0-9]{4}){2,7}(?:[ .-]?[A-Z0-9]{1,3})?"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
_SMALL_IBAN = re.compile(r"[a-z]{2}[0-9]{2}[ .-][0-9a-z]{4}[ .-][0-9a-z]{4}")
"""In small letters it is one only in groups of four: any id may be right by chance."""
_GAPS = str.maketrans("", "", " .-")
# Pairs of hex digits: six are the address of a network card, eight that of a newer one.
_HEX_PAIRS = re.compile(
    r"(?<![0-9A-Fa-f:-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){9,}+|(?:-[0-9A-Fa-f]{2}){9,}+"
    r"|(?: [0-9A-Fa-f]{2}){15,}+)(?![0-9A-Fa-f])"
)
# Azure: three characters, a digit, and a mark that nothing else has.
_AZURE = re.compile(r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{16,}+")
# Ids of people with letters in them: British, Italian, Spanish; and the lines of a passport that
# machines read.
_PERSON = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2}(?:[ -]?[0-9]{2}){3}[ -]?[A-D]"
    r"|(?=[A-Z0-9<]{0,42}<<)[A-Z0-9][A-Z0-9<]{29,43}"
    r"|[A-Z]{6}[0-9]{2}[A-EHLMPR-T][0-9]{2}[A-Z][0-9]{3}[A-Z]|(?P<dni>[XYZ]?-?[0-9]{7,8})-?(?P<check>[A-Z]))"
    r"(?![A-Za-z0-9<])"
)
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_TALK = frozenset({"auth", "authentication", "authorization", "credentials", "format", "header"})
_TALK_OF_TOKENS = _TALK | {"realm", "scheme", "token", "tokens", "type"}

# What follows an `@` and is the version or the name of a thing, not of a host.
_VERSION = re.compile(r"v?[0-9][0-9.]*(?:[-+][\w.]+)?|sha[0-9]+|latest|next|main|master|stable")


def _hide_xml(text: str) -> Iterator[Edit]:
    for found in _XML.finditer(text):
        if classify_name(found[1]):
            yield Edit(found.end(2), found.end(), HIDDEN)


def _find_in_urls(text: str) -> Iterator[Edit]:
    """Logins and queries; a run without spaces may hold several links, each with its own login."""
    for found in _URL.finditer(text):
        ends = [next_.start() for next_ in _SCHEME_END.finditer(text, *found.span(2))]
        place, last = found.start(2), found.end()
        for end in (*ends, last):
            login = _find_login(text[place:end])
            if login:
                yield Edit(place, place + login, "<credentials>")
            query = _QUERY_START.search(text, place + login, end)
            if query and query.start() < last - 1:
                yield Edit(query.start(), last, QUERY_SHOWN)
                break
            place = end + _SCHEME_LENGTH


def _find_login(rest: str) -> int:
    """How much of a link, after its scheme, is user and password."""
    authority = rest.partition("/")[0]
    at = authority.rfind("@")
    if at < 0 and ":" in authority and not authority.partition(":")[2].isdigit():
        # A password with a slash in it, and not a port.
        at = rest.rfind("@")
    return max(at, 0)


def _find_flags(text: str) -> Iterator[Edit]:
    """Only the value of a secret flag is passed over: another may hold a command of its own."""
    done = 0
    for flag in _FLAG.finditer(text):
        value = _FLAG_VALUE.match(text, flag.end()) if classify_name(flag[1]) else None
        if value and flag.start() >= done:
            done = value.end()
            yield Edit(*value.span(), HIDDEN)


def _find_schemes(text: str) -> Iterator[Edit]:
    for found in _SCHEME.finditer(text):
        scheme, value = found[2], found[3]
        if scheme.lower() == "bearer":
            secret = value.lower().rstrip(".") not in _TALK_OF_TOKENS
        else:
            secret = bool(_DIGIT.search(value)) or "=" in value or value[1:] != value[1:].lower()
        if secret:
            yield Edit(found.start(3), found.end(), "<token>")


def _find_emails(text: str) -> Iterator[Edit]:
    """Work outwards from each `@`: far faster than to try every word."""
    done = 0
    at = text.find("@")
    while at >= 0:
        before = _LOCAL.match(text[max(done, at - _LONGEST_LOCAL) : at][::-1])
        after = _DOMAIN.match(text, at + 1) if before else None
        if before and after and not _VERSION.fullmatch(after[0]):
            done = after.end()
            yield Edit(at - before.end(), done, "<email>")
        at = text.find("@", max(done, at + 1))


def _find_ibans(text: str) -> Iterator[Edit]:
    for found in _IBAN.finditer(text):
        account = found[0]
        if account != account.upper() and not _SMALL_IBAN.match(account):
            continue
        bare = account.translate(_GAPS)
        while len(bare) >= _SHORTEST_IBAN and not has_iban(bare):
            # Words may follow: `DE89 3704 … 00 BIC`.
            account = account[: max(map(account.rfind, " .-"), default=0)]
            bare = account.translate(_GAPS)
        if len(bare) >= _SHORTEST_IBAN:
            yield Edit(found.start(), found.start() + len(account), "<iban>")


_SHORTEST_IBAN = 15


def _hide_person(found: Found) -> str | None:
    number = found["dni"]
    if number is None:
        return "<number>"
    digits = number.replace("-", "").replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "<number>" if _DNI[int(digits) % 23] == found["check"] else None


class Rule(NamedTuple):
    """What is hidden, from which class on."""

    bit: int
    """Set by the prefilter where it may apply."""
    least: Hide
    find: Find
    told: bool = False
    """It recognises a value by its name, not by its form."""


_S, _P, _A = Hide.SECRETS, Hide.PERSONAL, Hide.ALL
RULES: tuple[Rule, ...] = (
    # Before a rule that would hide a part of one.
    Rule(bit.SEED, _S, find_phrases),
    Rule(bit.XML, _S, _hide_xml, told=True),
    Rule(bit.PEM, _S, hide_matches(_PEM, "<pem>")),
    Rule(bit.URL, _S, _find_in_urls, told=True),
    Rule(bit.QUERY, _S, hide_matches(_QUERY, QUERY_SHOWN), told=True),
    Rule(bit.BESIDE, _S, find_beside, told=True),
    Rule(bit.BESIDE, _S, find_before, told=True),
    Rule(bit.TUPLE, _S, find_in_tuples, told=True),
    Rule(bit.PAIRS, _S, find_pairs, told=True),
    Rule(bit.FLAG, _S, _find_flags, told=True),
    Rule(bit.COMMAND, _S, find_in_curl, told=True),
    Rule(bit.COMMAND, _S, find_in_mysql, told=True),
    Rule(bit.COMMAND, _S, find_in_logins, told=True),
    Rule(bit.SPOKEN, _S, find_spoken, told=True),
    Rule(bit.SPOKEN, _S, find_sql, told=True),
    Rule(bit.SPOKEN, _S, find_codes, told=True),
    Rule(bit.SCHEME, _S, _find_schemes, told=True),
    Rule(bit.VENDOR, _S, hide_matches(_JWT, "<jwt>")),
    Rule(bit.VENDOR, _S, hide_matches(_VENDOR, "<key>")),
    Rule(bit.AZURE, _S, hide_matches(_AZURE, "<key>")),
    Rule(bit.HEX, _S, hide_matches(_HEX_PAIRS, "<key>")),
    Rule(bit.EMAIL, _S, find_logins, told=True),
    Rule(bit.EMAIL, _S, find_plain_logins, told=True),
    Rule(bit.EMAIL, _P, _find_emails),
    Rule(bit.ENCODED_EMAIL, _P, hide_matches(_ENCODED_EMAIL, "<email>")),
    Rule(bit.IBAN, _P, _find_ibans),
    Rule(bit.PERSON, _P, hide_where(_PERSON, _hide_person)),
    Rule(bit.TOKEN, _S, find_tokens),
    Rule(bit.TOKEN, _A, find_any_token),
    Rule(bit.NUMBER, _S, find_cards),
    Rule(bit.NUMBER, _P, find_numbers),
    Rule(bit.NUMBER, _A, find_any_number),
)
"""In the order they are applied."""
