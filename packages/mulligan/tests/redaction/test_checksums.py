from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan.redaction import numbers


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (numbers.has_luhn, "4111111111111111", "4111111111111112"),
        (numbers.has_luhn, "378282246310005", "378282246310050"),
        (numbers.has_ean, "9783161484100", "9783161484101"),
        (numbers.has_isbn10, "080442957X", "0804429571"),
        (numbers.has_iban, "GB82WEST12345698765432", "GB28WEST12345698765432"),
        (numbers.has_verhoeff, "2363", "2364"),
        (numbers.has_cpf, "52998224725", "52998224726"),
    ],
)
def test_a_check_digit_tells_right_from_wrong(
    check: Callable[[str], bool], right: str, wrong: str
) -> None:
    assert check(right)
    assert not check(wrong)
