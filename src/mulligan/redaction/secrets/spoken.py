"""Secrets that prose, commands and neighbours give away: `password is …`, `curl -u bob:…`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mulligan.redaction.secrets.edits import Edit, hide_matches
from mulligan.redaction.secrets.names import ABROAD, classify_name

_HIDDEN = "<hidden>"
_TEXT = r"""(?:"[^"<>]{1,256}"|'[^'<>]{1,256}'|[^\s"'<>,;(){}\[\]]{1,256})"""
_SECRET = (
    r"(?:pass(?:word|wd|phrase|code)|mot de passe|pwd|secret|token"
    r"|(?:api|access|secret|private|licen[cs]e|encryption)[ _-]?key"
    rf"|(?:security|access|unlock|verification|recovery)[ _-]code|{ABROAD})s?"
)
_SPOKEN = re.compile(rf"(?<![\w<]){_SECRET}(?!\w)[\"'`*]{{0,2}}", re.IGNORECASE)
_SAID = re.compile(
    r"""[ \t]{0,3}(?:(?P<note>[(\[][^()\[\]\n]{0,40}[)\]])"""
    r"""|(?P<sign>:=?|=>?|-{1,2}>?(?=\s)|[\u2013\u2014\u2192\u21d2])"""
    r"""|(?<=[\s:=>\u2192\u21d2])["'`“„«]?(?P<word>(?:&\#x?[0-9A-Fa-f]{1,6};|[^\s"'`“”„«»<>]){1,128}))"""
)
"""What may stand behind the name of a secret, one thing at a time, on the same line."""
_MOST_WORDS = 7
_TELLING = frozenset(
    {"is", "was", "are", "be", "been", "to", "now", "as", "reads", "equals"}
    | {"es", "est", "ist", "lautet", "war", "är", "er", "jest", "este", "è", "é", "je"}
)
"""Behind one of these comes what it is: `was set to …`, `lautet …`."""
_STOPS = (".", "!", "?", ";")
_PLACE = re.compile(r"\w{1,20}:/|[/~.]|[^@]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}\Z|[-0-9:.+TZ/]{4,40}\Z")
"""A link, a path, a mailbox, a date: nobody's password."""
_LED = re.compile(
    r"""(?<![^\s"'`])(?P<word>[^\s"'`<>]{4,128})["'`]?[ \t]{1,3}(?:as|is)[ \t]{1,3}"""
    rf"""(?:(?:the|your|my|his|her|its|a|their|new)[ \t]{{1,3}}){{0,2}}{_SECRET}(?!\w)""",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[!@#$%^&*?~+]")
_SQL = re.compile(
    rf"(?<![A-Za-z])(identified\s{{1,3}}(?:with\s{{1,3}}\S{{1,40}}\s{{1,3}})?(?:by|as)\s{{1,3}}"
    rf"(?:password\s{{1,3}})?){_TEXT}",
    re.ASCII | re.IGNORECASE,
)
_GAP = r"""[\s"',]{1,5}"""
_REST = r"""[^\s"'<>,][^\s"'<>]{0,255}"""
_BETWEEN = r"(?:(?:[^\n|;\\]|\\(?:\r?\n)?){0,200}?[\s\"',\\]{1,5})?"
"""What stands between a command and its flag, on lines that go on too."""
_CURL = re.compile(
    rf"(?<!\w)(curl{_GAP}{_BETWEEN}(?:-u|--user|--proxy-user)[\"']?[\s,=]{{0,4}}(?P<q>[\"'])?"
    rf"[^\s\"':<>]{{1,64}}:)(?(q)[^\"'<>\n]{{1,255}}|{_REST})",
    re.ASCII,
)
_MYSQL = re.compile(
    rf"(?<!\w)((?:mysql|mariadb)[a-z-]{{0,10}}{_GAP}{_BETWEEN}-p[\"']?){_REST}", re.ASCII
)
_LOGIN = re.compile(
    rf"(?<!\w)((?:login|sshpass){_GAP}{_BETWEEN}-p[\s\"',=]{{0,5}}+){_REST}", re.ASCII
)
_ORACLE = re.compile(r"((?:thin|oci8?):)[^\s@<>]{1,128}@", re.ASCII | re.IGNORECASE)
_ADDRESS = r"\w{0,16}\(|/|(?!sha[0-9])[A-Za-z][\w.-]{0,253}(?:/|:[0-9]{2,5}(?!\w))|localhost\b"
_PLAIN_LOGIN = re.compile(
    r"""(?<![^\s"'`=(,;\[{])(?!(?:acct|jsr|mailto|npm|pkg|sips?|xmpp):)[A-Za-z_][\w.%+-]{0,63}"""
    rf"""(?::(?!//)[^\s"'`<>]{{1,128}}(?=@(?:{_ADDRESS}))|/[^\s"'`<>/@]{{1,128}}(?=@//))""",
    re.ASCII,
)
_TUPLE = re.compile(
    rf"""(\(\s{{0,3}}[bu]?(?P<q>["'])(?P<name>[\w .-]{{2,60}})(?P=q)\s{{0,3}},\s{{0,3}}[bu]?)"""
    rf"""{_TEXT}(?=\s{{0,3}}\))""",
    re.ASCII,
)
_NAMED = (
    r"""(?:[Nn]ame|NAME|[Kk]ey|KEY|id)["']?\s{0,3}[:=]\s{0,3}["']?(?P<name>[\w .-]{2,60})["']?"""
)
_VALUE = r"""(?:[Vv]alue|VALUE)["']?\s{0,3}[:=]\s{0,3}"""
_BESIDE = re.compile(
    rf"(?<![A-Za-z])({_NAMED}[\s,;][^<>{{}}]{{0,80}}?(?<![A-Za-z]){_VALUE}){_TEXT}",
    re.ASCII,
)
_BEFORE = re.compile(
    rf"(?<![A-Za-z])({_VALUE}){_TEXT}(?P<rest>[\s,;]{{1,4}}[\"']?{_NAMED})",
    re.ASCII,
)
_DIGITS = r"(?P<code>[A-Z]-[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{4,8})(?![\w-])"
_FOR = (
    r"(?:one[- ]?time|verification|security|confirmation|log-?in|sign-?in|auth|authentication|2fa"
    r"|mfa|sms|access|activation|reset|recovery|unlock)"
)
_CODE_NAME = rf"(?:(?:your|{_FOR})[ -](?:{_FOR}[ -])?(?:pass)?code|otp|passcode|one[- ]?time pin)"
_CODE = re.compile(
    rf"(?<!\w){_CODE_NAME}(?:[ \t]{{1,3}}(?:is|was|now)|[ \t]{{0,3}}[:=#\u2013-])?"
    rf"[\s\"'`*(]{{1,4}}{_DIGITS}",
    re.IGNORECASE,
)
_CODE_FIRST = re.compile(
    rf"(?<![\w-]){_DIGITS}[ \t]is[ \t](?:your|the)[ \t](?:[\w'-]{{1,20}}[ \t]){{0,3}}"
    r"(?:code|passcode|otp)\b",
    re.IGNORECASE,
)
_SHORTEST = 4
_UNSAID = 16
"""Capitals in a row, too many for a word or a constant that stands behind a name."""
_REPORT = re.compile(r"(?:Error|Exception|Warning)\Z")


find_sql = hide_matches(_SQL, _HIDDEN, after=1)
"""What SQL calls a password."""

find_in_curl = hide_matches(_CURL, _HIDDEN, after=1)
find_in_mysql = hide_matches(_MYSQL, _HIDDEN, after=1)
find_in_logins = hide_matches(_LOGIN, _HIDDEN, after=1)
"""The passwords of well-known commands whose flags do not say what they are."""


def find_codes(text: str) -> Iterator[Edit]:
    """One-time codes, before or behind what they are called."""
    for pattern in (_CODE, _CODE_FIRST):
        for found in pattern.finditer(text):
            yield Edit(*found.span("code"), _HIDDEN)


def takes_login(command: Sequence[object], place: int) -> bool:
    """Whether what follows a flag of a command in parts is a password, or ends in one."""
    if command[place] == "-p":
        return any(part in ("login", "sshpass") for part in command[:place])
    return command[place] in ("-u", "--user", "--proxy-user") and command[0] == "curl"


def find_spoken(text: str) -> Iterator[Edit]:
    """What prose calls a password, before or behind its name, if it looks like one."""
    edits = [edit for found in _SPOKEN.finditer(text) if (edit := _find_behind(text, found.end()))]
    led = (found for found in _LED.finditer(text) if _is_odd(found["word"]))
    edits += [Edit(*found.span("word"), _HIDDEN) for found in led]
    done = 0
    for edit in sorted(edits):
        if edit.start >= done:
            done = edit.end
            yield edit


def _find_behind(text: str, place: int) -> Edit | None:
    """Go from word to word as long as they can lead to what the secret is."""
    told = True
    for _ in range(_MOST_WORDS):
        found = _SAID.match(text, place)
        if found is None:
            return None
        place = found.end()
        if (word := found["word"]) is None:
            told = told or found["sign"] is not None
            continue
        bare = word.rstrip(".,:;!?)]}'\"")
        if (told and _is_odd(bare)) or _is_made_up(bare):
            start = found.start("word")
            return Edit(start, start + len(bare), _HIDDEN)
        if word.endswith(_STOPS):
            return None
        told = bare.lower() in _TELLING or word.endswith((":", "="))
    return None


def _is_odd(word: str) -> bool:
    """Whether it is no word of a language, nor what else prose is full of."""
    mixed = word[1:] != word[1:].lower() and word != word.upper()
    odd = mixed or any(map(str.isdigit, word)) or (word.isupper() and len(word) >= _UNSAID)
    return len(word) >= _SHORTEST and odd and not _REPORT.search(word) and not _PLACE.match(word)


def _is_made_up(word: str) -> bool:
    """Whether it is nothing but a password, wherever it stands."""
    signs = _SIGN.search(word) and any(map(str.isdigit, word)) and word != word.lower()
    return bool(signs) and _is_odd(word)


def find_logins(text: str) -> Iterator[Edit]:
    """User and password in the links of Oracle, which are no URLs."""
    for found in _ORACLE.finditer(text):
        yield Edit(found.end(1), found.end() - 1, "<credentials>")


find_plain_logins = hide_matches(_PLAIN_LOGIN, "<credentials>")
"""Without a scheme, as Go's drivers and Oracle's take them: `user:password@tcp(host:3306)/name`."""


def find_in_tuples(text: str) -> Iterator[Edit]:
    """The second of two where the first is a secret name: `('X-Api-Key', '…')`."""
    return _find_after_names(_TUPLE, text)


def find_beside(text: str) -> Iterator[Edit]:
    """A value that its secret name stands before: `name="password" value="…"`."""
    return _find_after_names(_BESIDE, text)


def _find_after_names(pattern: re.Pattern[str], text: str) -> Iterator[Edit]:
    for found in pattern.finditer(text):
        if classify_name(found["name"]):
            yield Edit(found.end(1), found.end(), _HIDDEN)


def find_before(text: str) -> Iterator[Edit]:
    """A value that its secret name stands after: `value="…" name="password"`."""
    for found in _BEFORE.finditer(text):
        if classify_name(found["name"]):
            yield Edit(found.end(1), found.start("rest"), _HIDDEN)
