"""Secrets recognised by a name, by prose and commands, as seed phrases, or already known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from os.path import commonprefix
from typing import Any
from unicodedata import combining

from mulligan.redaction.names import ABROAD, Secrecy, classify_in_prose, classify_name
from mulligan.redaction.text import Edit, hide_matches

HIDDEN = "<hidden>"
QUERY_SHOWN = "?<query>"

_CLOSERS = " \t\r\n\f\v\"'\\)]`*"
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-$"
_SEPARATOR = re.compile(r"[:=](?!//)")
_ANY_SEPARATOR = re.compile(r"[:=](?!//)|%3[ADad]")
_WINDOW = 96
_FEW = 12
"""Beyond so many separators the search itself is no dearer than to look whether it pays."""
_TIME = re.compile(r"[-0-9:.+TZ ]*")
_SECOND_WORDS = frozenset(
    word
    for plain in ("code", "header", "id", "key", "keys", "no", "number", "phrase", "value", "words")
    for word in (plain, plain.capitalize(), plain.upper())
)
"""`API key`, `card number`: words that only say with the one before whether they are secret."""

_TO_END_OF_LINE = re.compile(r"auth|cookie|phrase|mnemonic|words", re.IGNORECASE | re.ASCII)
_LEAD = r"[\s=>:]{0,8}"
_QUOTED = (
    r"""<hidden>|<seed phrase>|\\++(?P<q>["'])(?:[^\\]++|\\++(?!(?P=q)))*+(?:\\++(?P=q)|\Z)"""
    r"""|[bBrRuUfF]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)"""
    r"""|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z))"""
)
_VALUE = re.compile(
    rf"(?P<lead>{_LEAD})(?P<value>{_QUOTED}|(?P<open>[\[({{])|[|>][-+]?\s{{1,40}}\S+"
    r"""|(?P<word>[^\s,;&"'][^\s,;&]*+(?:[,;&][^\s,;&"'][^\s,;&]*+)*+)|\S+)""",
    re.DOTALL,
)
_LINE = re.compile(rf"(?P<lead>{_LEAD})(?P<value>{_QUOTED}(?=[\s,;)}}\]]|\Z)|[^\r\n]+)", re.DOTALL)
_IN_WORDS = re.compile(
    r"pass(?:w|code)|pwd|\Apw\Z|secret|kennwort|passwort|contrase|senha|motdepasse|wachtwoord|answer"
    r"|pa[rp]ol|парол",
    re.IGNORECASE,
)
"""Names of what people make up, often of several words."""
_NEXT_WORD = re.compile(
    r"""[ \t]{1,3}(?!-)([^\s,;&|"'<>(){}\[\]=:]{1,64}+)(?![^\s,;&|"'<>(){}\[\]])"""
)
_MOST_WORDS = 12
_SENTENCE = (
    "a an and are at because but by cannot did does expired failed for from has have in incorrect"
    " invalid is it may missing must no not of on or please rejected required should than that the"
    " then to too until user was were when which will with wrong"
)
_TALK = frozenset(_SENTENCE.split())
"""Where `password: hunter2 was rejected` goes on as a sentence."""
ALSO_OPEN = frozenset({"card", "cards", "session", "sessions"})
"""`session: morning`, `card: birthday`: with a plain word behind it, it is no secret in prose."""
_BRACKET = re.compile(r"[\[({]|[\])}]")
_SMALL_NUMBER = re.compile(r"-?[0-9]{1,8}(?:\.[0-9]{1,4})?[,;.)}\]]{0,4}\Z")

_classify = lru_cache(maxsize=4096)(classify_in_prose)


def names_words(name: str) -> bool:
    """Whether it names what people make up, of one word or of several."""
    return _IN_WORDS.search(name) is not None


def _find_last_name(text: str) -> str:
    """The name at the end of a text, its quotes and brackets left out."""
    text = text.rstrip(_CLOSERS)
    before = text.rstrip(_NAME)
    if before and before[-1] > "\x7f":
        before = _strip_letters(before)
    name = text[len(before) :]
    if name in _SECOND_WORDS and before.endswith(" "):
        word = before[:-1]
        return f"{word[len(word.rstrip(_NAME)) :]}_{name}"
    return name


def _strip_letters(text: str) -> str:
    """The text without the letters of any script at its end: `contraseña`."""
    end = len(text)
    while end and (text[end - 1] in _NAME or text[end - 1].isalpha() or combining(text[end - 1])):
        end -= 1
    return text[:end]


def _ends_in_secret_name(part: str) -> bool:
    return bool(_classify(_find_last_name(part[-_WINDOW:])))


def may_hold_pairs(text: str) -> bool:
    """Whether a secret name stands before `:` or `=`; `%3A` and `%3D` are not looked for."""
    if text[0].isdigit() and _TIME.fullmatch(text):
        return False
    parts = text.replace("://", " ").replace("=", ":").split(":")
    if len(parts) > _FEW:
        return True
    parts.pop()
    return any(map(_ends_in_secret_name, parts))


def _find_closing(text: str, start: int) -> int:
    """Where the bracket that was opened before `start` is closed, or the end of the text."""
    depth = 1
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "[({" else -1
        if not depth:
            return bracket.end()
    return len(text)


def find_pairs(text: str) -> Iterator[Edit]:
    """What follows a secret name and a separator."""
    done = 0
    separators = _ANY_SEPARATOR if "%3" in text else _SEPARATOR
    for separator in separators.finditer(text):
        start, end = separator.span()
        if start < done:
            continue
        name = _find_last_name(text[start - _WINDOW if start > _WINDOW else 0 : start])
        secrecy = _classify(name)
        if not secrecy:
            continue
        pattern = _LINE if _TO_END_OF_LINE.search(name) else _VALUE
        found = pattern.match(text, end)
        if found is None:
            continue
        if secrecy is Secrecy.COUNT and _SMALL_NUMBER.match(found["value"]):
            continue
        if found["value"].isalpha() and name.lower() in ALSO_OPEN and text[end : end + 1] == " ":
            continue
        done = found.end()
        if pattern is _VALUE:
            if found["open"]:
                done = _find_closing(text, done)
            elif found["word"] and names_words(name):
                done = _find_last_word(text, done, told=text[start:end] != ":")
        yield Edit(found.start("value"), done, HIDDEN)


def _find_last_word(text: str, end: int, *, told: bool) -> int:
    """Where a value of several words ends; unless it is told, so does the first plain word."""
    for _ in range(_MOST_WORDS):
        word = _NEXT_WORD.match(text, end)
        if word is None or (not told and word[1].lower().rstrip(".!?") in _TALK):
            return end
        end = word.end()
    return end


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
_MOST_SPOKEN = 7
_TELLING = frozenset(
    {"is", "was", "are", "be", "been", "to", "now", "as", "reads", "equals"}
    | {"es", "est", "ist", "lautet", "war", "är", "er", "jest", "este", "è", "é", "je"}
)
"""Behind one of these comes what it is: `was set to …`, `lautet …`."""
_STOPS = (".", "!", "?", ";")
_PLACE = re.compile(
    r"\w{1,20}:/|[/~.]|[^@]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}\Z|[-0-9:.+TZ/ ]{1,40}\Z"
)
"""A link, a path, a mailbox, a date: not a password, and no part of one."""
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
_VALUE_LABEL = r"""(?:[Vv]alue|VALUE)["']?\s{0,3}[:=]\s{0,3}"""
_BESIDE = re.compile(
    rf"(?<![A-Za-z])({_NAMED}[\s,;][^<>{{}}]{{0,80}}?(?<![A-Za-z]){_VALUE_LABEL}){_TEXT}",
    re.ASCII,
)
_BEFORE = re.compile(
    rf"(?<![A-Za-z])({_VALUE_LABEL}){_TEXT}(?P<rest>[\s,;]{{1,4}}[\"']?{_NAMED})",
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


find_sql = hide_matches(_SQL, HIDDEN, after=1)
"""What SQL calls a password."""

find_in_curl = hide_matches(_CURL, HIDDEN, after=1)
find_in_mysql = hide_matches(_MYSQL, HIDDEN, after=1)
find_in_logins = hide_matches(_LOGIN, HIDDEN, after=1)
"""The passwords of well-known commands whose flags do not say what they are."""


def find_codes(text: str) -> Iterator[Edit]:
    """One-time codes, before or behind what they are called."""
    for pattern in (_CODE, _CODE_FIRST):
        for found in pattern.finditer(text):
            yield Edit(*found.span("code"), HIDDEN)


def takes_login(command: Sequence[object], place: int) -> bool:
    """Whether what follows a flag of a command in parts is a password, or ends in one."""
    if command[place] == "-p":
        return any(part in ("login", "sshpass") for part in command[:place])
    return command[place] in ("-u", "--user", "--proxy-user") and command[0] == "curl"


def find_spoken(text: str) -> Iterator[Edit]:
    """What prose calls a password, before or behind its name, if it looks like one."""
    edits = [edit for found in _SPOKEN.finditer(text) if (edit := _find_behind(text, found.end()))]
    led = (found for found in _LED.finditer(text) if _is_odd(found["word"]))
    edits += [Edit(*found.span("word"), HIDDEN) for found in led]
    done = 0
    for edit in sorted(edits):
        if edit.start >= done:
            done = edit.end
            yield edit


def _find_behind(text: str, place: int) -> Edit | None:
    """Go from word to word as long as they can lead to what the secret is."""
    told = True
    for _ in range(_MOST_SPOKEN):
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
            return Edit(start, start + len(bare), HIDDEN)
        if word.endswith(_STOPS):
            return None
        told = bare.lower() in _TELLING or word.endswith((":", "="))
    return None


def _is_odd(word: str) -> bool:
    """Whether it is neither a word nor another usual part of prose."""
    mixed = word[1:] != word[1:].lower() and word != word.upper()
    odd = mixed or any(map(str.isdigit, word)) or (word.isupper() and len(word) >= _UNSAID)
    return len(word) >= _SHORTEST and odd and not _REPORT.search(word) and not _PLACE.match(word)


def _is_made_up(word: str) -> bool:
    """Whether it is nothing but a password, in any place."""
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
            yield Edit(found.end(1), found.end(), HIDDEN)


def find_before(text: str) -> Iterator[Edit]:
    """A value that its secret name stands after: `value="…" name="password"`."""
    for found in _BEFORE.finditer(text):
        if classify_name(found["name"]):
            yield Edit(found.end(1), found.start("rest"), HIDDEN)


WORDS = 12
_LENGTHS = frozenset(range(3, 9))

# Common words that are not in BIP-39: where they stand, it is prose.
_COMMON = """
after against and are been being both but cannot could did does doing each expected failed for
from further get got had has her here him his how invalid its last let line made may might missing
most new nor not our out required said see set shall she should some string than the their them
these those through too using value was were which while who whom whose why with would yet your
"""
PROSE = frozenset(_COMMON.split())

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_GAPS = b" \t\n"
_CLASSES = bytes(
    ord("a") if byte in _LETTERS else ord("s") if byte in _GAPS else ord(".") for byte in range(256)
)
_ENOUGH = "s" * (WORDS - 1)
_SHORTEST_REGION = WORDS * min(_LENGTHS) + WORDS - 1
_WORD_GAP = re.compile(r"([ \t\n]+)")
_WORD = re.compile(r"[A-Za-z0-9_]{2}")


def may_hold_phrase(raw: bytes) -> bool:
    """Whether twelve words in a row are all lower case. Never false where a phrase is."""
    return _ENOUGH in raw.translate(_CLASSES, _LETTERS).decode()


def find_phrases(text: str) -> Iterator[Edit]:
    """What reads like the words of a wallet."""
    start = 0
    # One byte for each character, so that places in the one are places in the other.
    for region in text.encode("ascii", "replace").translate(_CLASSES).split(b"."):
        end = start + len(region)
        enough = end - start >= _SHORTEST_REGION and region.count(b"s") >= WORDS - 1
        if enough and _reads_like_phrase(text[start:end].split()):
            yield from _find_runs(text, start, end)
        start = end + 1


def _reads_like_phrase(words: list[str]) -> bool:
    first, place = 0, WORDS - 1
    # From the last word of a run backwards: one that no phrase holds rules out all before it.
    while place < len(words):
        word = words[place]
        if len(word) not in _LENGTHS or word in PROSE:
            first, place = place + 1, place + WORDS
        elif place == first:
            return True
        else:
            place -= 1
    return False


def _find_runs(text: str, start: int, end: int) -> Iterator[Edit]:
    place = first = last = start
    words = 0
    pieces = _split_pieces(text[start:end])
    for number in range(0, len(pieces), 2):
        word = pieces[number]
        whole = (number or not _is_inside_word(text, start)) and (
            number < len(pieces) - 1 or not _is_inside_word(text, end)
        )
        if whole and len(word) in _LENGTHS and word not in PROSE:
            first = first if words else place
            last = place + len(word)
            words += 1
        else:
            if words >= WORDS:
                yield Edit(first, last, "<seed phrase>")
            words = 0
        place += sum(map(len, pieces[number : number + 2]))
    if words >= WORDS:
        yield Edit(first, last, "<seed phrase>")


def _split_pieces(region: str) -> list[str]:
    """Words, and the gaps between them."""
    if "  " in region or "\n" in region or "\t" in region:
        return _WORD_GAP.split(region)
    words = region.split(" ")
    pieces = [" "] * (2 * len(words) - 1)
    pieces[::2] = words
    return pieces


def _is_inside_word(text: str, place: int) -> bool:
    return place > 0 and _WORD.match(text, place - 1) is not None


_WRAPPING = " \t\r\n\f\v\"'`\\,;.()[]{}"
_PIECES = re.compile(r"""[^\s"'`\\,;:&=(){}\[\]<>]{6,}""")
_SHORTEST_KNOWN, _SHORTEST_WORD, _SHORTEST_DIGITS, _SURE = 4, 5, 6, 16
"""Characters of what stands under a name, of a word or a number that is said, and of what is
hidden inside other words too."""
_HEAD = 12
"""So many of its first characters are enough: what is told may have been cut."""
_LONGEST = 512
MOST_KNOWN = 64
_LETTER = re.compile(r"[^\W\d_]")
_OPEN_WORDS = (
    "admin basic bearer default denied disabled empty enabled example expired failed false hidden"
    " incorrect invalid localhost masked missing never optional password private public redacted"
    " rejected removed required secret string token undefined unknown unset value wrong"
)
_OPEN = frozenset(_OPEN_WORDS.split())
"""What stands behind a secret name and is said elsewhere too."""


def remember(hidden: str, known: set[str], *, told: bool) -> None:
    """Add what a hidden stretch holds; a plain word only where it is told to be a password."""
    value = hidden.strip(_WRAPPING)
    if len(known) >= MOST_KNOWN or len(value) > _LONGEST:
        return
    # Of several words, the first may be all of it: `password=swordfish was refused`.
    words = {value, *value.split(None, 1)[:1]} if told else set()
    known |= {each for each in words if _is_word(each)}
    known |= {each for each in [value, *_PIECES.findall(value)] if _is_distinct(each)}


def remember_named(text: str, known: set[str], *, name: str) -> None:
    """Add what stands under the name of a secret; under `session`, `morning` is none."""
    value = text.strip()
    plain = value.lower() in _OPEN or (value.isalpha() and name.lower() in ALSO_OPEN)
    if len(value) >= _SHORTEST_KNOWN and not plain:
        known.add(value)
        remember(value, known, told=False)


def _is_distinct(value: str) -> bool:
    """Whether no sentence would hold it by chance: digits among letters, or many digits."""
    if value.isdigit():
        return len(value) >= _SHORTEST_DIGITS
    mixed = any(map(str.isdigit, value)) or (value[1:] != value[1:].lower() and not value.isupper())
    long = len(value) >= _SHORTEST_DIGITS
    return long and mixed and bool(_LETTER.search(value)) and not _PLACE.match(value)


def _is_word(value: str) -> bool:
    return len(value) >= _SHORTEST_WORD and value.lower() not in _OPEN and not _PLACE.match(value)


def hide_known(shown: Any, known: set[str]) -> Any:
    """A text, or what is shown of a row, without what is known to be secret."""
    kind = type(shown)
    if kind is str:
        there = {left for each in known for left in _find_left(shown, each)}
        return _hide(shown, there, known) if there else shown
    if kind is dict:
        return {name: hide_known(item, known) for name, item in shown.items()}
    if kind is list:
        return [hide_known(item, known) for item in shown]
    return HIDDEN if kind is int and str(shown) in known else shown


def _find_left(text: str, secret: str) -> Iterator[str]:
    """The secret in a text, or what is left of it where its end was cut off."""
    head, at = secret[:_HEAD], 0
    while (at := text.find(head, at)) >= 0:
        left = commonprefix((secret, text[at : at + len(secret)]))  # noqa: RUF071 - as is meant
        yield left
        at += len(left)


def _hide(text: str, there: set[str], known: set[str]) -> str:
    """The longest first; a short one, or a part of one, only as a whole word."""
    forms = (
        re.escape(each)
        if len(each) >= _SURE and each in known
        else rf"(?<!\w){re.escape(each)}(?!\w)"
        for each in sorted(there, key=len, reverse=True)
    )
    # What stands in for a secret is between angle brackets, and is none.
    found = re.compile(rf"<[a-z ]{{1,16}}>|({'|'.join(forms)})")
    return found.sub(lambda each: HIDDEN if each[1] else each[0], text)
