from __future__ import annotations

import pytest

from mulligan.learning.error_details import fold_field, fold_fields


@pytest.mark.parametrize("name", ["error_code", "errorCode", "ErrorCode", "Error-Code"])
def test_a_name_is_one_however_it_is_spelled(name: str) -> None:
    assert fold_field(name) == "errorcode"


def test_a_name_that_begins_with_two_strokes_is_its_own() -> None:
    assert fold_fields("__type type") == ("__type", "type")
