from __future__ import annotations

from mulligan.types.lesson import Patch


def test_a_patch_changes_what_it_names_and_leaves_the_rest() -> None:
    patch = Patch(changes={"zip": "10116"}, drops=("ZIP", "gone"))

    assert patch.apply({"ZIP": "10116", "city": "Bonn"}) == {"city": "Bonn", "zip": "10116"}


def test_a_patch_leaves_the_arguments_it_was_given_alone() -> None:
    arguments = {"a": 1}

    Patch(changes={"a": 2}).apply(arguments)

    assert arguments == {"a": 1}
