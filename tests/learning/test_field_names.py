from __future__ import annotations

import pytest

from mulligan.learning.error_details import fold_name, fold_names


@pytest.mark.parametrize("name", ["error_code", "errorCode", "ErrorCode", "Error-Code"])
def test_a_name_is_one_however_it_is_spelled(name: str) -> None:
    assert fold_name(name) == "errorcode"


def test_a_name_that_begins_with_two_strokes_is_its_own() -> None:
    assert fold_names("__type type") == ("__type", "type")
