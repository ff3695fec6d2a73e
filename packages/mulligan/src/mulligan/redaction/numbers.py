"""Personal numbers, recognised by form, check digits and the words before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mulligan.redaction.text import Edit
from mulligan.types.values import has_luhn

_VERHOEFF_MULTIPLY = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_VERHOEFF_PERMUTE = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def has_ean(digits: str) -> bool:
    """Bar codes, and ISBN of thirteen digits."""
    return (sum(map(int, digits[-1::-2])) + 3 * sum(map(int, digits[-2::-2]))) % 10 == 0


def has_isbn10(digits: str) -> bool:
    """ISBN of ten, the last of which may be an X."""
    values = [10 if digit in "xX" else int(digit) for digit in digits]
    return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0


def has_verhoeff(digits: str) -> bool:
    """Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        permuted = int(_VERHOEFF_PERMUTE[place % 8][int(digit)])
        check = int(_VERHOEFF_MULTIPLY[check][permuted])
    return check == 0


def has_cpf(digits: str) -> bool:
    """Brazilian tax numbers: eleven digits, the last two of which check the others."""
    for size in (9, 10):
        total = sum(int(digit) * (size + 1 - place) for place, digit in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != int(digits[size]):
            return False
    return True


CARD, PHONE, NUMBER = "<card>", "<phone>", "<number>"

_BETWEEN = " .()_/\t-"
_RUN = re.compile(
    rf"(?:(?<![0-9A-Za-z])\+[{_BETWEEN}]{{0,3}})?\(?[0-9](?:[{_BETWEEN}]{{0,3}}[0-9]){{6,}}"
)
_DIGITS = re.compile(r"[0-9]+")
_FEWEST, _FEWEST_AFTER_PLUS, _MOST_OF_PHONE = 9, 7, 15
_ID = re.compile(
    r"(?<![0-9A-Za-z])01[89a-f][0-9a-f]{9}7[0-9a-f]{3}[89ab][0-9a-f]{0,15}(?![0-9A-Za-z])"
)
"""Our own, or the beginning of one: of ten thousand, two have digits with a card's form in them."""

_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE = (
    rf"(?:19|20)[0-9]{{2}}(?P<ymd>[-./_ ]?){_MONTH}(?P=ymd){_DAY}"
    r"(?:[_-]?(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9](?:[0-9]{3}){0,2})?)?"
    rf"|{_DAY}(?P<dmy>[-./]){_MONTH}(?P=dmy)(?:19|20)[0-9]{{2}}"
    rf"|{_MONTH}(?P<mdy>[-/]){_DAY}(?P=mdy)(?:19|20)[0-9]{{2}}"
)
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_UUID = r"[0-9]{8}-[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{12}"
_MACHINE = rf"{_OCTET}(?:\.{_OCTET}){{3}}(?:/[0-9]{{1,2}})?|{_UUID}"
_DECIMAL = r"(?:0|[1-9][0-9]{0,11})\.[0-9]+(?!\.[0-9])"
_PLAIN = re.compile(rf"(?<![0-9.])(?:{_DATE}|{_MACHINE}|{_DECIMAL})(?![0-9])")
_PLAIN_DATE = re.compile(rf"(?<![0-9.])(?:{_DATE})(?![0-9])")

_CARD_START = re.compile(r"2[2-7]|3[0-9]|4|5[0-8]|6|81|9792")
_CARD_GROUPS = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 1), (6, 13)}
)
_CARD_SIZES = (5, 4, 3, 2, 1)
_FOUR_FOURS = (4, 4, 4, 4)
_AMERICAN = re.compile(r"1[2-9][0-9]{2}[2-9][0-9]{6}")
_AMERICAN_GROUPS = frozenset({(3, 3, 4), (1, 3, 3, 4)})
_ABROAD_GROUPS = frozenset(
    {((3, 4, 4), "1"), ((5, 5), "6"), ((5, 5), "7"), ((5, 5), "8"), ((5, 5), "9")}
)
_BORN = re.compile(r"[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-8][0-9]|9[01])")
_TRUNK = re.compile(r"0[1-9][0-9]{7,11}")
_ABROAD = re.compile(r"00[1-9][0-9]{8,12}")
_EPOCH = re.compile(r"1[0-9]{9}(?:[0-9]{3}){0,3}")
_THIRDS = "._"
"""What stands between the thousands of an amount, and hardly ever in a number of a person."""

_ABOUT = 40
_JOINED = re.compile(r"[A-Za-z][-_#/]?\Z")
"""`ORD-000123456`: what is joined to a word is its id."""
_WORD = re.compile(r"[^\W\d_]+")
_GAP = 6
_FILLER = (
    "no nr num number nummer numero is was at me us on him her ist unter to from with id ends in"
)
_FILLERS = frozenset(_FILLER.split())
_CALLED = re.compile(
    r"t[eé]l(?:[eé]?(?:f|ph)\w{0,12})?|\w{0,8}phone|fon|mobile?|mobilnummer|handy\w{0,6}|cell|call"
    r"|dial|fax|sms|text|whatsapp|signal|ring|reach|anruf\w{0,3}|rufnummer|contact|kontakt|msisdn"
)
_ACCOUNT = re.compile(
    r"account|acct|konto\w{0,6}|routing|cards?|karten?\w{0,6}|visa|mastercard|amex|ssn|security|sort"
    r"|tax|steuer\w{0,6}|passport|licen[cs]e|insurance|pesel|bsn|sozialversicherung\w{0,8}"
)
_GOODS = re.compile(r"isbn|ean|gtin|upc|barcode")
_MONEY = re.compile(
    r"(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|jpy|inr|sek|nok|dkk|pln))\s?\Z", re.IGNORECASE
)
_UNIT = re.compile(
    r"\s?(?:[$€£¥₹%]|(?:usd|eur|gbp|chf|jpy|inr|sek|nok|dkk|pln|bytes?|[kmgt]i?b|rows?|records?"
    r"|users?|items?|tokens?|hits?|requests?|people|ms|[nµu]s|steps?|lines?|km|m)\b)",
    re.IGNORECASE,
)


def find_numbers(text: str) -> Iterator[Edit]:
    """Phone numbers, bank accounts and national ids."""
    for start, end in _find_pieces(text):
        kind = _classify_piece(text, start, end)
        if kind is not None:
            yield Edit(start, end, kind)


def find_cards(text: str) -> Iterator[Edit]:
    """Payment cards."""
    for start, end in _find_pieces(text):
        groups = list(_DIGITS.finditer(text, start, end))
        if _is_card(tuple(each[0] for each in groups)):
            yield Edit(start, end, CARD)
        else:
            yield from _find_among(groups)


def _find_among(groups: Sequence[re.Match[str]]) -> Iterator[Edit]:
    """Cards beside other numbers, such as the date that one expires."""
    at = 0
    while at < len(groups):
        size = next((n for n in _CARD_SIZES if _is_card_among(groups[at : at + n], n)), 0)
        if size:
            yield Edit(groups[at].start(), groups[at + size - 1].end(), CARD)
        at += size or 1


def _is_card_among(found: Sequence[re.Match[str]], size: int) -> bool:
    groups = tuple(each[0] for each in found)
    shaped = size == 1 or tuple(map(len, groups)) in _CARD_GROUPS
    return len(groups) == size and shaped and _is_card(groups) and has_luhn("".join(groups))


def find_any_number(text: str) -> Iterator[Edit]:
    """Every number with many digits, whatever it may be."""
    for found in _RUN.finditer(text):
        run = found[0]
        digits = _count_digits(run)
        if digits < (_FEWEST_AFTER_PLUS if run[0] == "+" else _FEWEST):
            continue
        kind = PHONE if run[0] == "+" else CARD if 13 <= digits <= 19 else NUMBER
        yield Edit(*found.span(), kind)


def classify_digits(digits: str) -> str | None:
    """What a number without any words around it is; `None` where it may be shown."""
    return CARD if _is_card((digits,)) else _classify_unbroken(digits)


def _find_pieces(text: str) -> Iterator[tuple[int, int]]:
    """Runs of digits, without the dates, decimals and addresses of machines in them."""
    text = _ID.sub(lambda found: "x" * len(found[0]), text)
    for found in _RUN.finditer(text):
        start, end = found.span()
        pattern = _PLAIN_DATE if text[start] == "+" else _PLAIN
        for plain in pattern.finditer(text, start, end):
            yield from _cut_piece(text, start, plain.start())
            start = plain.end()
        yield from _cut_piece(text, start, end)


def _cut_piece(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end].rstrip(_BETWEEN)
    end = start + len(piece)
    bare = piece.lstrip(_BETWEEN)
    start = end - len(bare)
    fewest = _FEWEST_AFTER_PLUS if bare[:1] == "+" else _FEWEST
    if len(bare) >= fewest and _count_digits(bare) >= fewest:
        if start and text[start - 1] == "(" and ")" in bare:
            start -= 1
        yield start, end


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _is_card(groups: tuple[str, ...]) -> bool:
    digits = "".join(groups)
    sizes = tuple(map(len, groups))
    if sizes == _FOUR_FOURS:
        return not all(group[:2] in ("19", "20") for group in groups)
    if not 13 <= len(digits) <= 19 or not _CARD_START.match(digits):
        return False
    shaped = len(set(sizes)) == 1 or sizes in _CARD_GROUPS
    # Cards of thirteen digits are gone; what has the check digit of a bar code is one.
    return shaped and has_luhn(digits) and not (len(digits) == 13 and has_ean(digits))


def _classify_piece(text: str, start: int, end: int) -> str | None:
    piece = text[start:end]
    groups = tuple(_DIGITS.findall(piece))
    digits = "".join(groups)
    before = text[max(0, start - _ABOUT) : start]
    if _is_card(groups):
        return CARD
    if piece[0] == "+":
        return PHONE if len(digits) <= _MOST_OF_PHONE else NUMBER
    word = _find_last_word(before)
    if _CALLED.fullmatch(word):
        return PHONE
    if _ACCOUNT.fullmatch(word):
        return NUMBER
    if len(groups) == 1:
        inside_word = _JOINED.search(before) or text[end : end + 1].isalpha()
        checked = _GOODS.fullmatch(word) and (has_ean(digits) or has_isbn10(digits[-10:]))
        return None if inside_word or checked else _classify_unbroken(digits)
    if _is_amount(piece, groups) or _MONEY.search(before) or _UNIT.match(text, end):
        return None
    return _classify_groups(piece, groups, digits)


def _find_last_word(before: str) -> str:
    """What the words before a number call it: `order` in `order no. `; empty where they do not."""
    end = len(before)
    told = ""
    for word in reversed(list(_WORD.finditer(before.lower()))):
        if end - word.end() > _GAP:
            return told
        if word[0] not in _FILLERS:
            return word[0]
        end = word.start()
        told = word[0]
    return told


def _classify_unbroken(digits: str) -> str | None:
    if _EPOCH.fullmatch(digits):
        return None
    american = _AMERICAN.fullmatch(digits)
    return PHONE if american or _TRUNK.fullmatch(digits) or _ABROAD.fullmatch(digits) else None


def _is_amount(piece: str, groups: tuple[str, ...]) -> bool:
    """Thousands: `1.234.567.890`."""
    gaps = set(_DIGITS.sub("", piece))
    return len(gaps) == 1 and gaps <= set(_THIRDS) and all(len(group) == 3 for group in groups[1:])


def _classify_groups(piece: str, groups: tuple[str, ...], digits: str) -> str | None:
    sizes = tuple(map(len, groups))
    if _is_book(sizes, digits):
        return None
    if _is_national(piece, sizes, digits):
        return NUMBER
    if len(digits) > _MOST_OF_PHONE:
        return None
    bracketed = piece[0] == "(" and ")" in piece
    trunk = digits[0] == "0" and digits[:3] != "000" and sizes[0] > 1 and len(sizes) <= 6
    known = sizes in _AMERICAN_GROUPS or (sizes, digits[0]) in _ABROAD_GROUPS
    return PHONE if known or bracketed or trunk or _is_said(piece, sizes) else None


def _is_book(sizes: tuple[int, ...], digits: str) -> bool:
    if len(digits) == 13:
        return digits[:3] in ("978", "979") and has_ean(digits)
    return len(digits) == 10 and sizes[0] <= 5 and sizes[-1] == 1 and has_isbn10(digits)


def _is_national(piece: str, sizes: tuple[int, ...], digits: str) -> bool:
    """Ids of people, of the countries that write them in groups of their own."""
    match sizes:
        case (3, 2, 4):
            return True
        case (3, 3, 3):
            return piece[3] in " -"
        case (3, 3, 3, 2):
            return has_cpf(digits)
        case (3, 4, 4, 2):
            return digits.startswith("756") and has_ean(digits)
        case (4, 4, 4):
            return piece[4] == " " and digits[0] in "23456789" and has_verhoeff(digits)
        case (6, 4) | (8, 4):
            return _BORN.match(digits[-10:]) is not None and has_luhn(digits[-10:])
        case (1, 2, 2, 2, 3, 3) | (1, 2, 2, 2, 3, 3, 2):
            return digits[0] in "12"
        case (2, 3, 3, 3):
            return digits[0] != "0" and piece[2] == " "
        case _:
            return False


def _is_said(piece: str, sizes: tuple[int, ...]) -> bool:
    """Groups with the same separator, as people write phone numbers: `612 34 56 78`."""
    gaps = set(_DIGITS.sub("", piece))
    return len(gaps) == 1 and gaps <= set(" -.") and sizes == (3, 2, 2, 2)
