"""Removes secrets from text and schemas that must stay readable, and makes them safe to print."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from mulligan.redaction import text as bit
from mulligan.redaction.names import ABROAD, classify_name
from mulligan.redaction.secrets import (
    QUERY_SHOWN,
    find_pairs,
    hide_known,
    may_hold_pairs,
    may_hold_phrase,
    names_words,
    remember,
)
from mulligan.redaction.text import (
    MOST_LAYERS,
    ODD,
    Edit,
    Hide,
    apply_edits,
    edit_view,
    fold_text,
    fold_view,
    is_coded,
    is_escaped,
    join_edits,
)
from mulligan.types.display import StandIns, escape, format_value

if TYPE_CHECKING:
    from mulligan.redaction.patterns import Rule


UNSAFE = 1 << 30
"""Not a rule: there is something to escape."""
WRAPPED = 1 << 31
"""Not a rule: there is something to fold, so that the rules see more."""
CODED = 1 << 32
"""Not a rule: there is a run of letters that may be text in base64 or hex."""

_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_DIGITS = b"0123456789"


def _build_classes(**members: bytes) -> bytes:
    """A translation of each byte to the letter of its class, or a full stop."""
    table = bytearray(b"." * 256)
    for letter, of_class in members.items():
        for byte in of_class:
            table[byte] = ord(letter)
    return bytes(table)


# How UTF-8 begins for digits of other scripts, for characters that are not safe to print, and
# for those that stand for plainer ones.
_OTHER_DIGITS = b"\xd9\xdb\xdf\xe0\xe1\xea\xef\xf0"
_ODD = b"\xc2\xcd\xd8\xe1\xe2\xe3\xed\xef\xf3"
_PLAINER = b"\xc4\xc5\xc7\xca\xcb\xe2\xe3"
_TELLING = _DIGITS + b"@:=%<&~\\" + _OTHER_DIGITS + _ODD + _PLAINER
# Bytes that start nothing by themselves: what is left of most texts without them is little.
_QUIET = bytes(set(b"\n\t" + bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100))) - set(_TELLING))
KINDS = _build_classes(a=_QUIET, **{"0": _DIGITS})
_FOLDING = re.compile(f"[{(_OTHER_DIGITS + _ODD + _PLAINER).decode('latin-1')}]")
# Printable by name, and yet nothing to see: fillers, joiners, and what picks a variant.
_BLANK = re.compile("[\xcd\xe1\xe2\xe3\xef\xf3]")
# Masks are three bytes of UTF-8, the first of them EE or EF.
IN_RUN = _build_classes(r=_LOWER + _UPPER + _DIGITS + b"+/_=-\xee\xef" + bytes(range(0x80, 0xC0)))
_IN_NUMBER = _build_classes(A=_UPPER, D=_DIGITS, p=b"+")
_BETWEEN_DIGITS = b" .()_-/\t" + bytes(range(0x80, 0x100))
# A text that is one link: no login, no port, and nothing in its path that a rule could start
# from and go on into the query, such as a quote or a comma.
_LINK = re.compile(r"(https?:)(//[A-Za-z0-9/._~+-]++)([?#][!#-;=?A-~]*+)?")
_RARE = frozenset("%<&~=\\")
NAMED_ELSE = f"[ _-]key|apikey|[ _-]code|otp|{ABROAD}"
_NAMED_ELSE = re.compile(NAMED_ELSE)
_RUN = "r" * 16
_CODE = "r" * 12
_NINE_DIGITS = "D" * 9
_SEVEN_AFTER_PLUS = "p" + "D" * 7
_IBAN_START = "AADD"
_SMALL_IBAN = re.compile(rb"[a-z]{2}[0-9]{2}[ .-][0-9a-z]{4}[ .-][0-9a-z]{4}")
_FEWEST_DIGITS = 6
_SHORTEST_FLAG = 6
_SHORTEST_SAID = 8
_SHORTEST_CODE = 12
_SHORTEST_RUN = 16
_SHORTEST_SQL = 15
_SHORTEST_SEED = 47
_RUN_RULES = bit.VENDOR | bit.TOKEN | CODED
_FEWEST_PAIRS = 9


def may_apply(text: str, *, prose: bool = True) -> int:
    """The bits of the rules that could change this text, and of what else is to be done to it.

    What people and programs *say* of a secret is looked for in prose, such as messages and errors,
    and in a value only where it has digits or signs: most have none.
    """
    ascii_only = text.isascii()
    raw = text.encode() if ascii_only else text.encode("utf-8", "surrogatepass")
    kinds = raw.translate(KINDS)
    few_digits = kinds.isalpha() or (kinds.isalnum() and kinds.count(b"0") < _FEWEST_DIGITS)
    bits = 0 if few_digits else _find_marked_rules(text, raw)
    size = len(text)
    if size < _SHORTEST_FLAG:
        return bits
    if "--" in text:
        bits |= bit.FLAG | (bit.PEM if "BEGIN" in text else 0)
    if size >= _SHORTEST_SAID:
        # Lower-casing other alphabets is slow, and what is looked for is ASCII.
        lower = text.lower() if ascii_only else raw.lower().decode("latin-1")
        if "bearer" in lower or "basic" in lower:
            bits |= bit.SCHEME
        if prose or not kinds.isalpha():
            bits |= _find_said_rules(text, lower)
        elif "identified" in lower:
            bits |= bit.SPOKEN
    # Bytes are classed, then searched as text: `in` is several times faster on text.
    if size >= _SHORTEST_RUN or (size >= _SHORTEST_CODE and not text.islower()):
        runs = raw.translate(IN_RUN).decode()
        if _CODE in runs:
            bits |= _find_run_rules(text, runs)
    if size >= _SHORTEST_SEED and may_hold_phrase(raw):
        bits |= bit.SEED
    return bits


def _find_marked_rules(text: str, raw: bytes) -> int:
    marks = raw.translate(None, _QUIET).decode("latin-1")
    bits = bit.EMAIL if "@" in marks else 0
    if ":" in marks or "=" in marks:
        bits |= _find_named_rules(text)
        if "alue" in text or "VALUE" in text:
            bits |= bit.BESIDE
        if marks.count(":") >= _FEWEST_PAIRS:
            bits |= bit.HEX
    if not _RARE.isdisjoint(marks):
        bits |= _find_rare_rules(text, marks)
    if len(marks) >= _FEWEST_DIGITS:
        bits |= _find_number_rules(raw)
    if text.isascii():
        return bits if marks.isprintable() else bits | UNSAFE
    if _FOLDING.search(marks) and ODD.search(text):
        bits |= WRAPPED
    return bits if text.isprintable() and not _BLANK.search(marks) else bits | UNSAFE


def _find_rare_rules(text: str, marks: str) -> int:
    bits = WRAPPED if is_escaped(text) else 0
    if "%" in marks:
        bits |= (bit.PAIRS if "%3" in text else 0) | (bit.ENCODED_EMAIL if "%40" in text else 0)
    if "<" in marks:
        bits |= (bit.XML if "</" in text else 0) | (bit.PERSON if "<<" in text else 0)
    if "~" in marks and "Q~" in text:
        bits |= bit.AZURE
    return bits


def _find_number_rules(raw: bytes) -> int:
    joined = raw.translate(_IN_NUMBER, _BETWEEN_DIGITS).decode()
    bits = bit.NUMBER if _NINE_DIGITS in joined or _SEVEN_AFTER_PLUS in joined else 0
    if _SMALL_IBAN.search(raw):
        bits |= bit.IBAN
    if "A" in joined and "D" in joined:
        bits |= bit.PERSON | (bit.IBAN if _IBAN_START in joined else 0)
    return bits


def _find_run_rules(text: str, runs: str) -> int:
    if _RUN not in runs:
        # Base64 is never in one case, and hex so short says nothing.
        return 0 if text.islower() else CODED
    return _RUN_RULES | bit.HEX if text.count("-") >= _FEWEST_PAIRS else _RUN_RULES


def _find_said_rules(text: str, lower: str) -> int:
    bits = bit.COMMAND if "-" in text and ("-u" in text or "-p" in text) else 0
    if (
        "pass" in lower
        or "token" in lower
        or "secret" in lower
        or "pwd" in lower
        or _NAMED_ELSE.search(lower if text.isascii() else text.lower())
    ):
        bits |= bit.SPOKEN
    if len(text) >= _SHORTEST_SQL and "identified" in lower:
        bits |= bit.SPOKEN
    if "(" in text and "," in text and ("'" in text or '"' in text):
        bits |= bit.TUPLE
    return bits


def _find_named_rules(text: str) -> int:
    bits = bit.QUERY if "?" in text and "=" in text else 0
    if ("@" in text or "?" in text or "#" in text) and (":/" in text or ":\\/" in text):
        bits |= bit.URL
    return bits | bit.PAIRS if may_hold_pairs(text) else bits


def scrub_only(text: str, *, hide: Hide = Hide.PERSONAL) -> str:
    """Replace what looks like a secret, by kind: `<email>`, `<card>`, `<token>`."""
    return _apply_rules(text, may_apply(text), hide=hide, known=set())


def _apply_rules(text: str, bits: int, *, hide: Hide, known: set[str], ids: bool = False) -> str:
    # A replacement stands between angle brackets, so it never completes another secret, and what
    # could not apply at first cannot apply later.
    for rule in _choose_rules(bits, hide):
        edits = list(rule.find(text))
        remember_edits(rule, text, edits, known)
        text = apply_edits(text, edits)
    if bits & WRAPPED or (bits & CODED and is_coded(text)):
        text = _scrub_folded(text, hide=hide, known=known, ids=ids)
    return str(hide_known(text, known)) if known else text


_ABOUT = 24


def remember_edits(rule: Rule, text: str, edits: list[Edit], known: set[str]) -> None:
    """Add what a rule hides because it is called a secret, not because it looks like one."""
    for start, end, shown in edits if rule.told else ():
        if shown == QUERY_SHOWN:
            named = find_pairs(text[start:end])
            remember_edits(rule, text[start:end], list(named), known)
        else:
            before = text[max(0, start - _ABOUT) : start]
            told = before.rstrip()[-1:] == "=" or text[start] in "\"'"
            remember(text[start:end], known, told=told and names_words(before))


def _scrub_folded(text: str, *, hide: Hide, known: set[str], ids: bool) -> str:
    """Hide what only shows when the text is read as it is meant, layer by layer."""
    hidden: list[Edit] = []
    view = fold_text(text)
    for _ in range(MOST_LAYERS):
        if view is None:
            break
        for rule in _choose_rules(may_apply(view.plain) & (~bit.TOKEN if ids else ~0), hide):
            edits = list(rule.find(view.plain))
            remember_edits(rule, view.plain, edits, known)
            view = edit_view(view, edits, hidden=hidden)
        view = fold_view(view)
    return apply_edits(text, join_edits(hidden)) if hidden else text


@cache
def _choose_rules(bits: int, hide: Hide) -> tuple[Rule, ...]:
    from mulligan.redaction.patterns import RULES

    return tuple(rule for rule in RULES if bits & rule.bit and hide.covers(rule.least))


def scrub(text: str, *, hide: Hide = Hide.PERSONAL) -> str:
    """Text without secrets, safe to print."""
    return scrub_value(text, prose=True, hide=hide)


def scrub_value(
    text: str,
    *,
    prose: bool = False,
    hide: Hide = Hide.PERSONAL,
    ids: bool = False,
    known: set[str] | None = None,
) -> str:
    """A value without secrets, safe to print: what is said of one is looked for less.

    Where it may hold ids, nothing is a token for being random. What is called a secret in it is
    added to `known`.
    """
    if "://" in text and (link := _LINK.fullmatch(text)):
        return _scrub_link(link, hide=hide, ids=ids)
    ids = ids and hide is not Hide.ALL
    bits = may_apply(text, prose=prose) & (~bit.TOKEN if ids else ~0)
    if not bits:
        return text
    if bits != UNSAFE:
        found: set[str] = set()
        text = _apply_rules(text, bits, hide=hide, known=found, ids=ids)
        if known is not None:
            known |= found
    return escape(text) if bits & UNSAFE else text


def _scrub_link(link: re.Match[str], *, hide: Hide, ids: bool) -> str:
    """Without its scheme and its query, a link leaves most rules nothing to look for."""
    scheme, place, query = link.groups("")
    shown = scrub_value(place, hide=hide, ids=ids)
    return f"{scheme}{shown}{QUERY_SHOWN if len(query) > 1 else query}"


_MARGIN = 1024
UNSURE = 512
"""Longer than any part of a secret that is not recognised without the rest of it."""


def clip(text: str, *, most: int, hide: Hide = Hide.PERSONAL, known: set[str] | None = None) -> str:
    """Scrub, then cut. A secret that lies across a cut does not survive in part."""
    wide = text[: most + _MARGIN]
    scrubbed = scrub_value(wide, prose=True, hide=hide, known=known)
    if len(wide) < len(text):
        scrubbed = scrubbed[:-UNSURE]
    elif len(scrubbed) <= most:
        return scrubbed
    return f"{scrubbed[:most]}<… {len(text) - most:,} more>"


def number_ids(text: str, ids: StandIns, *, hide: Hide = Hide.PERSONAL) -> str:
    """Text without secrets, as `scrub` has it, in which what may be an id is told from others."""
    from mulligan.redaction.patterns import find_any_token, find_tokens

    every = hide is Hide.ALL
    text = scrub_value(text, prose=True, hide=Hide.PERSONAL if every else hide, ids=True)
    # Also those whose name says that they are ids, which stand elsewhere without it.
    found = find_any_token(text) if every else find_tokens(text, objects=True)
    text = apply_edits(text, (_number_id(edit, text, ids) for edit in found))
    # Again, for what is one only as it is meant, not as it is written.
    return scrub(text, hide=hide)


def _number_id(edit: Edit, text: str, ids: StandIns) -> Edit:
    # In JSON the letter of an escape, such as that of a new line, is no part of what follows it.
    start = edit.start + (text[edit.start - 1 : edit.start] == "\\")
    return Edit(start, edit.end, ids.number(text[start : edit.end], kind=edit.shown[1:-1]))


_GIVEN = ("default", "examples", "example", "const")
_SAID = ("description", "title", "$comment")
_DEEPEST = 64


def scrub_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema without values that are secrets, and with secrets taken out of what it says."""
    return _scrub_part(schema, name="", depth=0)


def _scrub_part(part: Mapping[str, object], *, name: str, depth: int) -> dict[str, object]:
    """One part of a schema, with the name of the property that it describes."""
    shown: dict[str, object] = {}
    for key, value in part.items():
        if key in _GIVEN and not isinstance(value, Mapping):
            if not _is_secret(value, name=name):
                shown[key] = value
        elif key in _SAID and isinstance(value, str):
            shown[key] = scrub(value, hide=Hide.SECRETS)
        else:
            shown[key] = _scrub_value(value, name=name, key=key, depth=depth + 1)
    return shown


def _scrub_value(value: object, *, name: str, key: str, depth: int) -> object:
    if depth > _DEEPEST:
        return {}
    if key == "properties" and isinstance(value, Mapping):
        return {
            each: _scrub_part(part, name=str(each), depth=depth)
            if isinstance(part, Mapping)
            else part
            for each, part in value.items()
        }
    if isinstance(value, Mapping):
        return _scrub_part(value, name=name, depth=depth)
    if isinstance(value, list) and key != "enum":
        return [_scrub_value(item, name=name, key="", depth=depth + 1) for item in value]
    return value


def _is_secret(value: object, *, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, (list, tuple)):
        return any(_is_secret(item, name=name) for item in value)
    text = format_value(value)
    named = isinstance(value, str) and bool(text) and bool(classify_name(name))
    return named or scrub(text, hide=Hide.SECRETS) != text
