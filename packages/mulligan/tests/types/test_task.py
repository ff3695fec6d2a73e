"""What a task is known by, and what it says."""

from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.task import Gate, Reflect, Task

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_task_without_an_id_is_known_by_the_sha256_of_its_description():
    assert Task(description="abc").identity == ABC


def test_an_explicit_id_wins_over_the_description():
    assert Task(description="abc", id="weekly-report").identity == "weekly-report"


def test_the_expected_output_does_not_change_who_a_task_is():
    assert Task(description="abc", expected_output="a table").identity == ABC


def test_a_description_that_cannot_be_encoded_still_has_an_identity():
    assert len(Task(description="a \ud800 b").identity) == 64


def test_the_static_text_holds_both_parts_as_they_were_written():
    task = Task(description="  Add up.\r\n\tTwice. ", expected_output="# A *table*\n")

    assert task.text == "## Task\n\n  Add up.\r\n\tTwice. \n\n## Expected output\n\n# A *table*\n"
    assert Task(description="Add up.").text == "## Task\n\nAdd up."


def test_an_edited_output_keeps_the_identity_and_changes_the_definition():
    before = Task(id="report", description="Add up.", expected_output="a table")
    after = Task(id="report", description="Add up.", expected_output="a list")

    assert before.identity == after.identity
    assert before.definition != after.definition


def test_reflection_is_off_unless_it_is_asked_for():
    own = Reflect(gate="accept", every=3)

    assert Task(description="x").settings is None
    assert Task(description="x", reflect=True).settings == Reflect()
    assert Task(description="x", reflect=own).settings is own


def test_a_gate_may_be_named_in_plain_words():
    assert Reflect(gate="accept").gate == Gate.ACCEPT
    assert not Reflect(gate="accept").gated
    assert Reflect(gate="evidence").gated


@pytest.mark.parametrize(
    ("wrong", "said"), [({"gate": "hope"}, "'hope'"), ({"every": 0}, "every=0")]
)
def test_settings_that_cannot_be_are_refused_with_their_value(wrong, said):
    with pytest.raises(ConfigurationError, match=said):
        Reflect(**wrong)


@pytest.mark.parametrize(
    ("mistaken", "message"),
    [
        ({"reflect": "accept"}, "reflect='accept' says nothing"),
        ({"description": 5}, "description=5 is no text"),
    ],
)
def test_a_task_that_would_be_misunderstood_is_refused(mistaken, message):
    with pytest.raises(ConfigurationError, match=message):
        Task(**{"description": "x", **mistaken})


@pytest.mark.parametrize("mistaken", [{"every": "5"}, {"every": 1.5}, {"timeout": 30}])
def test_a_setting_of_another_kind_is_named(mistaken):
    with pytest.raises(ConfigurationError, match=next(iter(mistaken))):
        Reflect(**mistaken)
