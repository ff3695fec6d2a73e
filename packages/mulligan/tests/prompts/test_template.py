from __future__ import annotations

import re
from pathlib import Path

import pytest

from mulligan import prompts
from mulligan.prompts.template import load_template, read_template
from mulligan.types.errors import ConfigurationError

FILES = sorted(Path(prompts.__file__).parent.glob("*.md"))
GREETING = """---
name: greeting
version: 3
---

# Instructions

Greet people.

# Message

Hello {{name}}, it is {{day}}.
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_prompt_file_can_be_read_and_has_something_to_say(file: Path) -> None:
    template = load_template(file.stem)

    assert template.version >= 1
    assert template.instructions
    assert template.placeholders


def test_a_file_gives_its_name_version_and_two_parts() -> None:
    template = read_template(GREETING, name="greeting")

    assert (template.name, template.version) == ("greeting", 3)
    assert template.instructions == "Greet people."
    assert template.placeholders == {"name", "day"}


def test_a_value_is_put_in_as_it_is_and_never_filled_itself() -> None:
    template = read_template(GREETING, name="greeting")

    filled = template.fill({"name": "{{day}} \\1", "day": "Friday"})

    assert filled == "Hello {{day}} \\1, it is Friday."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": "Ada"}, "needs day"),
        ({"name": "Ada", "day": "Friday", "mood": "good"}, "no place for mood"),
    ],
)
def test_a_question_that_does_not_fit_is_refused_by_name(values: dict, said: str) -> None:
    template = read_template(GREETING, name="greeting")

    with pytest.raises(ConfigurationError, match=said):
        template.fill(values)


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        GREETING.replace("version: 3", "version: new"),
        GREETING.replace("version: 3\n", ""),
        GREETING.replace("# Message", "# Letter"),
        GREETING.replace("name: greeting", "name: farewell"),
    ],
)
def test_a_file_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"greeting\.md cannot be read"):
        read_template(text, name="greeting")


def test_instructions_have_no_room_for_values() -> None:
    text = GREETING.replace("Greet people.", "Greet {{name}}.")

    with pytest.raises(ConfigurationError, match="Instructions are ours alone"):
        read_template(text, name="greeting")


@pytest.mark.parametrize("name", ["nothing", "../secrets", "review_actions.md", ""])
def test_an_unknown_prompt_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(repr(name)) + ".*review_actions"):
        load_template(name)
