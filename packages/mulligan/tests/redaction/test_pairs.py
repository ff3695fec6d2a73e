from __future__ import annotations

import pytest

from mulligan.redaction.secrets import find_pairs, may_hold_pairs
from mulligan.redaction.text import apply_edits


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password=hunter2", "password=<hidden>"),
        ('{"api_key": "a b", "limit": 3}', '{"api_key": <hidden>, "limit": 3}'),
        ("API key: abc, then", "API key: <hidden>, then"),
        ("Authorization: Bearer abc def\nnext", "Authorization: <hidden>\nnext"),
        ("tokens=[1, [2], 3] rest", "tokens=<hidden> rest"),
        ("max_tokens=100", "max_tokens=100"),
        ("contrase\u00f1a=abc", "contrase\u00f1a=<hidden>"),
        ("secret%3Dabc", "secret%3D<hidden>"),
        ("limit=3 at 10:30", "limit=3 at 10:30"),
        ("see https://a.example", "see https://a.example"),
        ("password=correct horse battery staple", "password=<hidden>"),
        ("password: correct horse was wrong", "password: <hidden> was wrong"),
        ("pwd=correct horse, user=bob", "pwd=<hidden>, user=bob"),
        ("passwd=correct horse --port 3", "passwd=<hidden> --port 3"),
        ("token=abc expired for bob", "token=<hidden> expired for bob"),
    ],
)
def test_what_follows_a_secret_name_is_hidden_and_nothing_else(text: str, shown: str) -> None:
    assert apply_edits(text, find_pairs(text)) == shown


@pytest.mark.parametrize(
    ("text", "may"),
    [("password=x", True), ("limit=3", False), ("10:30:15", False), ("a=" * 13, True)],
)
def test_a_glance_says_whether_it_pays_to_look(text: str, may: bool) -> None:
    assert may_hold_pairs(text) is may
