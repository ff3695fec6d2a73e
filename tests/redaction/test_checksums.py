from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan.redaction import numbers as checksums


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (checksums.has_luhn, "4111111111111111", "4111111111111112"),
        (checksums.has_luhn, "378282246310005", "378282246310050"),
        (checksums.has_ean, "9783161484100", "9783161484101"),
        (checksums.has_isbn10, "080442957X", "0804429571"),
        (checksums.has_iban, "GB82WEST12345698765432", "GB28WEST12345698765432"),
        (checksums.has_verhoeff, "2363", "2364"),
        (checksums.has_cpf, "52998224725", "52998224726"),
    ],
)
def test_a_check_digit_tells_right_from_wrong(
    check: Callable[[str], bool], right: str, wrong: str
) -> None:
    assert check(right)
    assert not check(wrong)
