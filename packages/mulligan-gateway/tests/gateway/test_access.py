import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.http_server import Access, Refusal, make_token, read_tokens

TOKEN = "t" * 20
HEADERS = {"host": "127.0.0.1:8400", "authorization": f"Bearer {TOKEN}"}


def ask(**headers: str):
    found = Access(tokens={TOKEN: "ann"}).find_principal({**HEADERS, **headers})
    return found.status if isinstance(found, Refusal) else found


def test_a_token_says_who_asks():
    assert ask() == "ann"
    assert ask(authorization=f"bearer {TOKEN}") == "ann"
    assert ask(origin="http://localhost:3000") == "ann"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"host": "evil.example"}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://localhost@evil.example"}, 403),
        ({"origin": "http://evil.example/localhost"}, 403),
        ({"origin": "http://evil.example:8400"}, 403),
        ({"host": "localhost.evil.example:8400"}, 421),
        ({"host": "127.0.0.1, evil.example"}, 421),
        ({"host": "localhost@evil.example"}, 421),
        ({"host": "0.0.0.0:8400"}, 421),
    ],
)
def test_nobody_else_is_heard(headers, status):
    assert ask(**headers) == status


def test_tokens_are_read_from_a_file_that_nobody_else_may_read(tmp_path):
    file = tmp_path / "tokens"
    file.write_text(f"an\u2028n {'a' * 20}\n\n{'b' * 20}\r\n{'c' * 20}\n", encoding="utf-8")
    file.chmod(0o600)

    assert read_tokens(file) == {"a" * 20: "an\u2028n", "b" * 20: "client2", "c" * 20: "client3"}

    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="tokens"):
        read_tokens(file)


def test_who_is_not_named_never_becomes_somebody_who_is(tmp_path):
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"client2 {'a' * 20}\n{'b' * 20}\nclient4 {'c' * 20}\n{'d' * 20}\n")

    names = list(read_tokens(file).values())

    assert names == ["client2", "client3", "client4", "client5"]


@pytest.mark.parametrize(
    "text",
    ["", "ann short\n", f"ann {'a' * 20}\nann {'b' * 20}\n", f"ann {'a' * 20}\n{'a' * 20}\n"],
)
def test_a_file_without_a_secret_or_with_one_name_twice_is_refused(tmp_path, text):
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(text)

    with pytest.raises(ConfigurationError):
        read_tokens(file)


def test_no_token_is_made_twice():
    assert len({make_token() for _ in range(100)}) == 100
