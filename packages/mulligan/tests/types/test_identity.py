import itertools

import pytest

from mulligan.types.values import Identities, IdentityKind, is_identity, read_label

KEY = b"k" * 32
SHAPES = [
    "acme",
    "Acme",
    " acme",
    "acme ",
    "acme  ltd",
    "acme ltd",
    "7",
    "07",
    "4111111111111111",
    "eve@example.com",
    "Eve@example.com",
    "bob@example.com",
    "0b9f6a3e-54f1-4f6e-9a52-2a5d5a0f2f11",
    "0b9f6a3e-54f1-4f6e-9a52-2a5d5a0f2f12",
    "org_1a2b3c4d",
    "org_1a2b3c4e",
    "x" * 150 + "a",
    "x" * 150 + "b",
    "x" * 5_000 + "a",
    "x" * 5_000 + "b",
    "caf\u00e9",
    "cafe\u0301",
    "ａcme",
    "ac\u200bme",
    "\ud800",
    "\ud801",
    "tenant~" + "0" * 20,
    "sk_live_51H8xYz",
]


def identify(name: str, kind: IdentityKind = IdentityKind.TENANT, key: bytes = KEY) -> str:
    return Identities(key).identify(name, kind)


def test_names_of_every_shape_stay_apart():
    found = {identify(name) for name in SHAPES}

    assert len(found) == len(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_name_is_the_same_to_all_who_share_the_key(name: str):
    shared = Identities(KEY)

    assert shared.identify(name, IdentityKind.TENANT) == identify(name)
    assert shared.identify(name, IdentityKind.TENANT) == identify(name)
    assert is_identity(identify(name))


def test_one_name_of_two_kinds_or_under_two_keys_is_two_identities():
    found = [identify("acme", kind) for kind in IdentityKind]
    found.append(identify("acme", key=b"o" * 32))

    assert len({each.partition("~")[2] for each in found}) == len(found)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("acme", "acme"),
        ("Acme Ltd", "Acme Ltd"),
        ("eve@example.com", "tenant"),
        ("4111111111111111", "tenant"),
        ("a\nb", "tenant"),
        ("x" * 30, "tenant"),
        ("one two three four five", "tenant"),
    ],
)
def test_people_read_a_plain_name_and_of_any_other_nothing(name: str, label: str):
    assert read_label(identify(name)) == label


def test_no_person_is_shown_by_name():
    assert read_label(identify("Anna", IdentityKind.PRINCIPAL)) == "person"


def test_nobody_is_nobody():
    assert [identify("", kind) for kind in IdentityKind] == ["", "", ""]


def test_more_names_than_are_remembered_change_nothing():
    one = Identities(KEY)
    before = one.identify("acme", IdentityKind.TENANT)

    for number in itertools.islice(itertools.count(), 5_000):
        one.identify(f"t{number}", IdentityKind.TENANT)

    assert one.identify("acme", IdentityKind.TENANT) == before


@pytest.mark.parametrize(
    "text", ["acme", "", "acme~", "acme~xyz", "~" + "0" * 20, "a@b~" + "0" * 20]
)
def test_a_name_is_no_identity(text: str):
    assert not is_identity(text)
