"""Prompt files: Markdown with a name, a version, instructions and a message with placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mulligan.core.errors import ConfigurationError

_FOLDER = Path(__file__).parent
_FILE = re.compile(
    r"---\nname: (?P<name>\w+)\nversion: (?P<version>[1-9]\d*)\n---\n"
    r"\s*# Instructions\n(?P<instructions>.*?)\n# Message\n(?P<message>.*)",
    re.DOTALL,
)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One prompt file, read."""

    name: str
    version: int
    """Goes up with every change of the wording, so that answers can be told apart by it."""
    instructions: str
    """Goes to the model as it is: it has no placeholders."""
    message: str

    @property
    def placeholders(self) -> frozenset[str]:
        """What a question must bring."""
        return frozenset(_PLACEHOLDER.findall(self.message))

    def fill(self, values: Mapping[str, str]) -> str:
        """The message with every value in its place; a value is never searched for placeholders."""
        if missing := sorted(self.placeholders - values.keys()):
            raise ConfigurationError(
                f"The prompt {self.name} needs {', '.join(missing)}, and the question does not "
                f"bring it. Add it to the question's values."
            )
        if unknown := sorted(values.keys() - self.placeholders):
            raise ConfigurationError(
                f"The prompt {self.name} has no place for {', '.join(unknown)}. "
                f"Take it out of the question's values, or add it to the prompt's message."
            )
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self.message)


def read_template(text: str, *, name: str) -> Template:
    """Read a prompt file, or say what is wrong with it."""
    read = _FILE.fullmatch(text)
    if read is None or read["name"] != name:
        raise ConfigurationError(
            f"The prompt file {name}.md cannot be read. It must begin with a front matter of "
            f"`name: {name}` and `version: 1`, then hold `# Instructions` and `# Message`."
        )
    if placed := _PLACEHOLDER.findall(read["instructions"]):
        raise ConfigurationError(
            f"The instructions of the prompt {name} hold the placeholder {placed[0]}. "
            f"Instructions are ours alone: move it to the message."
        )
    return Template(
        name=name,
        version=int(read["version"]),
        instructions=read["instructions"].strip(),
        message=read["message"].strip(),
    )


@cache
def load_template(name: str) -> Template:
    """The prompt file of that name."""
    known = sorted(path.stem for path in _FOLDER.glob("*.md"))
    if name not in known:
        raise ConfigurationError(
            f"There is no prompt {name!r}. Those there are: {', '.join(known)}."
        )
    return read_template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"), name=name)
