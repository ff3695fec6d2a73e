"""Check digits: what tells a card, an account or a book from any other number."""

from __future__ import annotations

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
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


def has_luhn(digits: str) -> bool:
    """Cards, Swedish and Canadian ids."""
    plain = sum(map(int, digits[-1::-2]))
    return (plain + sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])) % 10 == 0


def has_ean(digits: str) -> bool:
    """Bar codes, and ISBN of thirteen digits."""
    return (sum(map(int, digits[-1::-2])) + 3 * sum(map(int, digits[-2::-2]))) % 10 == 0


def has_isbn10(digits: str) -> bool:
    """ISBN of ten, the last of which may be an X."""
    values = [10 if digit in "xX" else int(digit) for digit in digits]
    return sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0


def has_iban(account: str) -> bool:
    """The remainder that every country's IBAN has."""
    moved = account[4:] + account[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


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
