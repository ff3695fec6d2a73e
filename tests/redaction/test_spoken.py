from __future__ import annotations

import pytest

from mulligan.redaction import spoken
from mulligan.redaction.edits import Find, apply_edits


@pytest.mark.parametrize(
    ("find", "text", "shown"),
    [
        (spoken.find_spoken, "the password is Hunter2x ok", "the password is <hidden> ok"),
        (spoken.find_spoken, "the password is wrong", "the password is wrong"),
        (spoken.find_spoken, "token ValueError", "token ValueError"),
        (spoken.find_sql, "identified by 'abc'", "identified by <hidden>"),
        (spoken.find_in_curl, "curl -u bob:hunter2 x", "curl -u bob:<hidden> x"),
        (spoken.find_in_mysql, "mysql -uroot -phunter2", "mysql -uroot -p<hidden>"),
        (spoken.find_in_sshpass, "sshpass -p hunter2 ssh", "sshpass -p <hidden> ssh"),
        (spoken.find_in_mysql, "head -n 3 x", "head -n 3 x"),
        (spoken.find_logins, "thin:bob/pw@host", "thin:<credentials>@host"),
        (spoken.find_in_tuples, "('X-Api-Key', 'abc')", "('X-Api-Key', <hidden>)"),
        (spoken.find_in_tuples, "('limit', '3')", "('limit', '3')"),
        (
            spoken.find_beside,
            'name="password" value="abc"',
            'name="password" value=<hidden>',
        ),
        (spoken.find_before, "value: abc, name: password", "value: <hidden>, name: password"),
        (spoken.find_beside, 'name="city" value="abc"', 'name="city" value="abc"'),
    ],
)
def test_secrets_are_hidden_where_prose_commands_and_neighbours_give_them_away(
    find: Find, text: str, shown: str
) -> None:
    assert apply_edits(text, find(text)) == shown
