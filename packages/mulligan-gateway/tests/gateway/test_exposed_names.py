import pytest

from mulligan_gateway.tools import RESOURCES, TEMPLATES, ListedItem, Names, claims, fold_alike


def template(text: str) -> ListedItem:
    return ListedItem(server="s", kind=TEMPLATES, name=text, digest="1")


def test_of_one_server_names_are_as_they_are():
    names = Names(["files"])

    assert names.name_for_clients("files", "read") == "read"
    assert names.resolve("read") == ("files", "read")


def test_of_several_every_name_begins_with_its_server():
    names = Names(["a", "a_b"])

    assert names.name_for_clients("a", "read") == "a_read"
    assert names.resolve("a_b_c") == ("a_b", "c")
    assert names.resolve("c_read") is None


def test_whose_a_name_is_follows_from_the_names_of_the_servers_alone():
    names = Names(["a", "a_b"])
    items = [ListedItem(server=s, name=n, digest="1") for s, n in (("a", "b_c"), ("a_b", "c"))]

    refused = names.find_refusals(items, own_tools=True)

    assert list(refused) == [("a", "b_c")]
    assert names.find_refusals(reversed(items), own_tools=True) == refused
    assert list(names.list_overlaps()) == [("a", "a_b")]


@pytest.mark.parametrize(
    "other", ["Send_Email", "send-email", "sendEmail", "send_ernai1", "send_emaiI"]
)
def test_names_that_look_the_same_fold_to_one(other):
    assert fold_alike(other) == fold_alike("send_email")


def test_names_that_differ_stay_apart():
    assert fold_alike("send_mail") != fold_alike("send_email")
    assert fold_alike("list_item") != fold_alike("list_items")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("memo://{id}", True),
        ("memo://a/{id}/c", True),
        ("memo://{x}/b/{y}", True),
        ("memo://a/b/c", True),
        ("memo://a{+rest}", True),
        ("memo://a/b/c{?q}", True),
        ("memo://{x}/c/{y}", False),
        ("memo://b/{id}", False),
        ("memo://a/b/c/{id}", False),
        ("memo://a/b/c{id}c", False),
        ("memo://a", False),
    ],
)
def test_a_template_claims_what_it_could_be_filled_in_to_give(text, fits):
    assert claims(template(text), "memo://a/b/c") is fits


def test_a_resource_claims_its_own_address():
    memo = ListedItem(server="s", kind=RESOURCES, name="memo://{1}", digest="1")

    assert claims(memo, "memo://{1}")
    assert not claims(memo, "memo://2")
