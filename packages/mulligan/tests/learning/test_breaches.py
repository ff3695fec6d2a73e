from __future__ import annotations

import pytest

from mulligan.learning.soft_errors import find_breach


def test_a_result_that_breaks_its_declared_schema_is_an_error() -> None:
    declared = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}

    assert find_breach({"id": "1"}, schema=declared, may_be_empty=True) is None
    assert find_breach({"name": "x"}, schema=declared, may_be_empty=True) == (
        'The result breaks its schema: "id" is a required property'
    )
    assert find_breach('{"name": "x"}', schema=declared, may_be_empty=True) is not None


@pytest.mark.parametrize("empty", [None, "", "  ", [], {}])
def test_an_empty_result_is_an_error_only_where_it_may_not_be_empty(empty: object) -> None:
    assert find_breach(empty, schema={}, may_be_empty=True) is None
    assert find_breach(empty, schema={}, may_be_empty=False) == "The result is empty."
