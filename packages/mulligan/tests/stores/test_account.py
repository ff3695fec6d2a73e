from __future__ import annotations

from mulligan.stores.relational.transaction import Account, add_accounts, decode_account, sum_seals

ONE, TWO = b"\x01" * 32, b"\xff" * 32


def test_accounts_add_up_to_what_lies_there_whoever_put_it_there_or_took_it_away() -> None:
    first = Account().add("kept", sum_seals([ONE, TWO]))
    second = Account().add("kept", -sum_seals([ONE]))

    assert add_accounts([first, second], "kept") == sum_seals([TWO])


def test_the_order_does_not_count_and_twice_is_not_once() -> None:
    assert sum_seals([ONE, TWO]) == sum_seals([TWO, ONE])
    assert sum_seals([ONE, ONE]) != sum_seals([ONE])


def test_a_row_without_a_signature_counts_nothing() -> None:
    assert sum_seals([None, "x", ONE]) == sum_seals([ONE])


def test_an_account_comes_back_from_its_row() -> None:
    account = Account(rows={"kept": 7}, writers=3, commits=41).add("tool", sum_seals([TWO]))

    assert decode_account(account.encode()) == account


def test_what_makes_no_sense_is_an_empty_account() -> None:
    texts = [
        "",
        "{}",
        "[]",
        '{"rows":[],"writers":1}',
        '{"rows":{"a":"q"},"writers":1,"commits":1}',
    ]

    assert {decode_account(text).encode() for text in texts} == {Account().encode()}
