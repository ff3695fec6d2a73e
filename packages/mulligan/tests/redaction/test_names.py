from __future__ import annotations

import pytest

from mulligan.redaction.names import Secrecy, classify_name, looks_like_field, names_ids

_HIDDEN = """
password Password PASSWORD userPassword user_password passwd db_pwd pass db_pass pw secret
client_secret clientSecret token access_token accessToken refresh-token x-auth-token auth
Authorization proxy_authorization oauth api_key apiKey apikey API-KEY x-api-key api_key_name
access_key aws_secret_access_key private privateKey private_key ssh_key encryption_key signing_key
cookie Set-Cookie session sessionId session_id PHPSESSID credential credentials creds ssn
social_security_number cvv cvc pin pin_code userPin otp totp mfa_code 2fa card card_number
creditCard debit_card iban user_iban passphrase seed_phrase mnemonic recovery_code signature jwt
id_jwt bearer csrf_token hmac sig sid passport_number tax_id account_number routing_number sort_code
token1 password2 authenticated_user pswd db_pswd psk wifi-psk wpaPsk pre_shared_key privkey
security_code securityAnswer unlock_code mot_de_passe contraseña CONTRASEÑA pássword пароль ПАРОЛЬ
密码 senha
"""
_COUNTS = "tokens max_tokens maxTokens token_count session_count cookie_limit seed random_seed"
_OPEN = """
author authors author_id coauthor authority keyboard monkey key turkey pinned ping mapping spinning
shipping className discard cardinality wildcard passenger passed compass secretary tokenizer
tokenize obsession possession title id name address number account amount location hotplate
upskill motd security unlock answer señor
footprint taliban wheel passive_mode designer count
"""


_WIDE = "contrasen\u0303a \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44 to\u212aen"


@pytest.mark.parametrize(
    ("names", "secrecy"),
    [
        (_HIDDEN, Secrecy.HIDDEN),
        (_WIDE, Secrecy.HIDDEN),
        (_COUNTS, Secrecy.COUNT),
        (_OPEN, Secrecy.OPEN),
    ],
)
def test_a_name_says_whether_its_value_is_secret(names, secrecy):
    assert [name for name in names.split() if classify_name(name) is not secrecy] == []


@pytest.mark.parametrize(
    "name", ["title", "a", "snake_case", "X-Request", "v.2", "line_12", "7", "1234"]
)
def test_names_of_fields_are_shown(name):
    assert looks_like_field(name)


@pytest.mark.parametrize("name", ["", "a b", "a123", "bob@x", "é", "a" * 41, "12345", "1a", "a\n"])
def test_data_used_as_a_key_is_not_shown(name):
    assert not looks_like_field(name)


def test_ids_are_known_by_the_end_of_their_name():
    assert all(map(names_ids, ["id", "event_id", "eventId", "ids", "event_ids", "event-id"]))
    assert not any(map(names_ids, ["paid", "video", "grid", "identity", "idea"]))
