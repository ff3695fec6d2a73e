from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan.redaction import spoken


@pytest.mark.parametrize(
    ("hide", "text", "shown"),
    [
        (spoken.hide_spoken, "the password is Hunter2x ok", "the password is <hidden> ok"),
        (spoken.hide_spoken, "the password is wrong", "the password is wrong"),
        (spoken.hide_spoken, "token ValueError", "token ValueError"),
        (spoken.hide_spoken, "identified by 'abc'", "identified by <hidden>"),
        (spoken.hide_in_commands, "curl -u bob:hunter2 x", "curl -u bob:<hidden> x"),
        (spoken.hide_in_commands, "mysql -uroot -phunter2", "mysql -uroot -p<hidden>"),
        (spoken.hide_in_commands, "sshpass -p hunter2 ssh", "sshpass -p <hidden> ssh"),
        (spoken.hide_in_commands, "head -n 3 x", "head -n 3 x"),
        (spoken.hide_logins, "thin:bob/pw@host", "thin:<credentials>@host"),
        (spoken.hide_in_tuples, "('X-Api-Key', 'abc')", "('X-Api-Key', <hidden>)"),
        (spoken.hide_in_tuples, "('limit', '3')", "('limit', '3')"),
        (
            spoken.hide_beside,
            'name="password" value="abc"',
            'name="password" value=<hidden>',
        ),
        (spoken.hide_beside, "value: abc, name: password", "value: <hidden>, name: password"),
        (spoken.hide_beside, 'name="city" value="abc"', 'name="city" value="abc"'),
        (spoken.hide_cards, "4111/1111/1111/1111", "<card>"),
        (spoken.hide_cards, "2024/1015/3000", "2024/1015/3000"),
    ],
)
def test_secrets_are_hidden_where_prose_commands_and_neighbours_give_them_away(
    hide: Callable[[str], str], text: str, shown: str
) -> None:
    assert hide(text) == shown
