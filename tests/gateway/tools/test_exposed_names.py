from mulligan.gateway.tools.exposed_names import Names


def test_of_one_server_names_are_as_they_are():
    names = Names(["files"])

    assert names.name_for_clients("files", "read") == "read"
    assert names.resolve("read") == ("files", "read")
    assert names.find_owner("anything://") == "files"


def test_of_several_every_name_begins_with_its_server():
    names = Names(["a", "a_b"])

    assert names.name_for_clients("a", "read") == "a_read"
    assert names.resolve("a_b_c") == ("a_b", "c")
    assert names.resolve("c_read") is None


def test_no_server_can_take_the_name_of_anothers_tool():
    names = Names(["a", "a_b"])

    assert names.name_for_clients("a", "b_c") == "a_b_c"
    assert names.name_for_clients("a_b", "c") is None
    assert names.resolve("a_b_c") == ("a", "b_c")


def test_a_resource_belongs_to_who_listed_it_or_a_form_it_fits_best():
    names = Names(["a", "b"])
    names.note_uri("a", "memo://1")
    names.note_template("a", "memo://{id}")
    names.note_template("b", "memo://deep/{id}")

    assert names.find_owner("memo://1") == "a"
    assert names.find_owner("memo://deep/2") == "b"
    assert names.find_owner("other://") is None
