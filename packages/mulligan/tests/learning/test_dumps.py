from __future__ import annotations

import pytest

from mulligan.learning.fingerprint import mask_dumps


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('Bad input: {"path": "/a", "content": [1, 2]}.', "Bad input: <data>."),
        ('Bad input: {"path": "/a", "content": "import', "Bad input: <data>"),
        ("called with {'a': {'b': [1]}} in vain", "called with <data> in vain"),
        ('Refused: [{"code": "too_big", "message": "less", "path": ["n"]}]',
         "Refused: less (code too_big, at n)"),
        ("must be one of ['a', 'b', 'cccccccccc']", "must be one of ['a', 'b', 'cccccccccc']"),
        ("set {1, 2} is {odd} and [done]", "set {1, 2} is {odd} and [done]"),
        ("kwargs {} with", "kwargs {} with"),
    ],
)  # fmt: skip
def test_what_was_sent_is_masked_and_an_error_inside_is_put_into_words(
    text: str, masked: str
) -> None:
    assert mask_dumps(text) == masked


def test_many_structures_are_not_read_for_ever() -> None:
    assert mask_dumps('{"a": 1, "b": 22}' * 100).startswith("<data>" * 5)
