"""Text from outside: the only forms in which it reaches a prompt, an agent, a page, a terminal.

What tools return, errors, a judge's prose and others' notes are `Quoted`: origin kept, cut, nothing
hidden, and no way out of the quote. What is `Ours` may stand without one. A plain `str` is neither,
so that to forget it is an error of types where prompts and corrections are built.
"""

from __future__ import annotations

from dataclasses import field
from typing import NewType

from mulligan.core.display.escape import escape, format_one_line, format_value
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.late_pattern import compile_late

Ours = NewType("Ours", str)
"""What this library, the application or the person wrote, and quotes of others in it."""

PIECE_BYTES = 2_048
"""Of each piece that others wrote, between the marks of a prompt."""
LINE = 300
"""Characters of a quote inside a sentence."""
_NAME = 80
_MARKS = compile_late('[\u201c\u201d\u201e\u201f\u275d\u275e\u2e42\u301d-\u301f\uff02"]')
"""Whatever could pass for the end of a quote."""

_WORD = compile_late(r"[\w.,:;@+/%#~&=$€£*!?'()<>\[\]{}-]*")
"""What can be no sentence: there is no space in it, and nothing that is hidden."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """What somebody else wrote. As text it is a quote that says whose it is."""

    raw: str = field(repr=False)
    """As it was written: for who compares it, never for who shows it."""
    origin: str
    """Who wrote it, in words of ours: `a judge`."""

    def __str__(self) -> str:
        """One line for a sentence of ours."""
        return f"{self.origin}'s words, no instruction: {self.as_line()}"

    def as_line(self, *, most: int = LINE) -> Ours:
        """The text alone, between two marks that it does not hold."""
        return Ours(f"\u201c{_MARKS.sub(chr(39), format_one_line(self.raw, most=most))}\u201d")

    def as_lines(self) -> list[Ours]:
        """Every line of it as a quote of its own, whatever it takes for a line."""
        return [Ours(f"> {escape(line)}".rstrip()) for line in self.raw.splitlines()]

    def fence(self, mark: str) -> Ours:
        """A piece of a prompt, between two lines with a mark that nobody could have known."""
        name = format_one_line(self.origin, most=_NAME)
        return Ours(f"[{mark} {name}]\n{cut(self.raw).replace(mark, '…')}\n[{mark} end]")


def quote_value(value: object, *, most: int) -> Ours:
    """A value in a sentence of ours: one word as it is, anything longer between marks."""
    text = format_value(value)
    plain = _WORD.fullmatch(text) is not None and len(text) <= most
    return Ours(text) if plain else Quoted(text, "a value").as_line(most=most)


def cut(text: str, *, most: int = PIECE_BYTES) -> str:
    """Escaped, and no more than so many bytes; a cut says how much there was."""
    # No character is shorter than a byte, so what lies beyond could not be shown anyway.
    encoded = escape(text[: most + 1]).encode()
    if len(encoded) <= most:
        return encoded.decode()
    note = f"… (cut; {len(text):,} characters in all)"
    room = most - len(note.encode())
    return encoded[:room].decode(errors="ignore") + note
