from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.toml_table import WrittenTable, read_toml


def test_values_are_taken_by_their_type():
    table = WrittenTable({"a": 1, "b": "x", "c": ["y"], "d": {"e": {"f": 2}}}, where="file")

    assert table.take("a", float, default=0.0) == 1.0
    assert table.take("b", str, default="") == "x"
    assert table.take_texts("c") == ("y",)
    assert [(name, inner.where) for name, inner in table.take_tables("d")] == [("e", "file.d.e")]
    assert table.take("none", int, default=7) == 7
    table.finish()


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [(int, True, "a whole number"), (str, 1, "a text"), (bool, "yes", "true or false")],
)
def test_another_type_is_refused_with_its_place(kind, value, says):
    with pytest.raises(ConfigurationError, match=rf"^file: a is .*; it is {says}"):
        WrittenTable({"a": value}, where="file").take("a", kind, default=kind())


def test_what_nobody_knows_is_refused_with_the_nearest_that_is_known():
    table = WrittenTable({"reciep": "x"}, where="file")
    table.take("recipe", str, default="")

    with pytest.raises(ConfigurationError, match=r"nobody knows 'reciep'.*Did you mean 'recipe'"):
        table.finish()


def test_what_is_like_nothing_gets_the_list_of_all():
    table = WrittenTable({"zzz": "x"}, where="file")
    table.take("recipe", str, default="")

    with pytest.raises(ConfigurationError, match="There are: recipe"):
        table.finish()


def test_a_file_that_cannot_be_read_says_where(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("a = x\n")

    with pytest.raises(ConfigurationError, match="line 1"):
        read_toml(path)
    with pytest.raises(ConfigurationError, match="no file"):
        read_toml(tmp_path / "none.toml")
