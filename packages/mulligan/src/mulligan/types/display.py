"""Text from outside: the only forms in which it reaches a prompt, an agent, a page, a terminal.

Escaped, quoted, shortened, in a sentence about a call, in the commands that a person can run, and
in the question that a judge is asked.
"""

from __future__ import annotations

import re
import string
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, NamedTuple, NewType, TypeVar, cast

from msgspec import Struct, field

from mulligan.types.action import Action, State, find_expiry
from mulligan.types.call import Record
from mulligan.types.effect import Effect
from mulligan.types.values import hide_fields, read_fields
from mulligan_dates.text import separate_words, shorten, split_words

NAME = re.compile(r"[^\W\d][\w.$-]{0,63}")
"""What can be the name of an argument or a tool: one word, and no sentence."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

_JOINED = "\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
"""Scripts that are written with joiners: Arabic, Persian, those of India, Khmer, Mongolian."""
_PICTURES = "\u00a9\u00ae\u203c-\u27ff\u2801-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SPELLED = re.compile(
    rf"(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}\s]|$)"
    rf"|(?<=[{_PICTURES}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])"
)
"""Characters without a shape of their own where writing needs them: they hide nothing."""


_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


def _escape_character(found: re.Match[str]) -> str:
    if found[0] in _JOINERS and _SPELLED.match(found.string, found.start()):
        return found[0]
    return _write_escape(found[0])


@lru_cache(maxsize=1_024)
def _write_escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str) -> str:
    """Escape what could drive a terminal, hide text, or not be stored as UTF-8."""
    return _UNSAFE.sub(_escape_character, text)


def format_value(value: object) -> str:
    """What a user's value prints as; one that refuses is named by its type."""
    try:
        return str(value)
    except (Exception, SystemExit):  # noqa: BLE001 - its own code may raise anything
        if type(value) is int:  # of more digits than Python writes in decimal
            return hex(value)
        return f"<{type(value).__name__} that cannot be shown>"


def escape_json(text: str) -> str:
    """JSON text with the same characters as escapes of JSON: decoding gives them back."""
    return _UNSAFE.sub(_escape_in_json, text)


def _escape_in_json(found: re.Match[str]) -> str:
    pairs = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pairs[place : place + 4]}" for place in range(0, len(pairs), 4))


def quote_name(name: str) -> str:
    """A name as data in a sentence of ours; what can be no name is not shown."""
    return f"`{name}`" if NAME.fullmatch(name) else "`…`"


def show_name(name: str) -> str:
    """A name as it reads in a sentence of ours, without marks; what can be no name is not shown."""
    return name if NAME.fullmatch(name) else "`…`"


def format_one_line(text: str, *, most: int) -> str:
    """Text from elsewhere as one line of ours: escaped, its white space folded, cut."""
    # Cut first as well: folding ten megabytes for one line is too slow.
    line = escape(" ".join(text[: most * 4].split()))
    return shorten(line, most=most)


Ours = NewType("Ours", str)
"""What this library, the application or the person wrote, and quotes of others in it."""

PIECE_BYTES = 2_048
"""Of each piece that others wrote, between the marks of a prompt."""
LINE = 300
"""Characters of a quote inside a sentence."""
_NAME = 80
_MARKS = re.compile('[\u201c\u201d\u201e\u201f\u275d\u275e\u2e42\u301d-\u301f\uff02"]')
"""Whatever could pass for the end of a quote."""

_WORD = re.compile(r"[\w.,:;@+/%#~&=$€£*!?'()<>\[\]{}-]*")
"""What can be no sentence: there is no space in it, and nothing that is hidden."""


@hide_fields("raw")
class Quoted(Struct, frozen=True):
    """Text from another source. Rendered, it is a quote that names the source."""

    raw: str
    """As it was written: for comparing, never for showing."""
    origin: str
    """Who wrote it, in our own terms: `a judge`."""

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
        """A piece of a prompt, between two lines with an unguessable mark."""
        name = format_one_line(self.origin, most=_NAME)
        return Ours(f"[{mark} {name}]\n{cut(self.raw).replace(mark, '…')}\n[{mark} end]")


def quote_value(value: object, *, most: int = 60) -> Ours:
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


LONG = 4_000
"""Characters from which reading may take longer than a millisecond, so that no loop should wait."""
MOST_PARTS = 64
"""Parts of one value that are looked into: telling what is long must not take long itself."""
_SAID_COSTS = 10
"""How many other characters one costs that is read for times: a message may hold little else."""
MOST_DEPTH = 12
MOST_CONTAINERS = 1_000
MOST_AGAIN = 8
"""Times that the same parts may be met again; each may double the ways through a value."""
_TEXTS = (str, bytes, bytearray)
_NUMBERS = (int, float)
_BUILT_IN = (dict, list, tuple, set, frozenset, OrderedDict)
_READ_BY = ("__iter__", "items", "values")
_ASKED = ("content", "text", "structuredContent", "args")
"""Where results and errors of libraries keep their text."""


class SaidText(NamedTuple):
    """A message that is read for all that it says of time, in every way it can mean it."""

    text: str


def is_long(*values: object) -> bool:
    """Whether these hold more than `LONG` characters; what has too many parts to tell does too."""
    room, ahead, looked = LONG, list(values), len(values)
    while ahead and room >= 0:
        each = ahead.pop()
        if isinstance(each, _TEXTS):
            room -= _measure(each)
        elif isinstance(each, SaidText):
            room -= _measure(each.text) * _SAID_COSTS
        elif each is not None and not isinstance(each, _NUMBERS):
            inner = _list_inside(each)
            looked += len(inner)
            if looked > MOST_PARTS:
                return True
            ahead += inner
    return room < 0


def is_tangled(value: object) -> bool:
    """Whether a value holds itself, or the same parts so often that going through it has no end."""
    ahead: list[tuple[object, int]] = [(value, 0)]
    seen: set[int] = set()
    again = 0
    while ahead and len(seen) <= MOST_CONTAINERS:
        each, depth = ahead.pop()
        if not isinstance(each, Mapping | list | tuple):
            continue
        again += id(each) in seen
        if again > MOST_AGAIN:
            return True
        seen.add(id(each))
        if depth < MOST_DEPTH:
            ahead += [(inner, depth + 1) for inner in _list_inside(each)]
    return False


def is_tame(value: object) -> bool:
    """Whether going through its lists and mappings ends: none has a way of its own to be read."""
    ahead = [value] if isinstance(value, _BUILT_IN) else []
    seen: set[int] = set()
    while ahead:
        each = ahead.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        kind = type(each)
        for name in _READ_BY if kind not in _BUILT_IN else ():
            # A subclass that reads itself in another way than a built-in container does.
            if getattr(kind, name, None) not in [getattr(each, name, None) for each in _BUILT_IN]:
                return False
        inside = dict.values(each) if isinstance(each, dict) else each
        ahead += (part for part in inside if isinstance(part, _BUILT_IN))
    return True


def _measure(text: str | bytes | bytearray) -> int:
    """Its length; nothing of one that cannot say, as a stand-in for text or one loaded later."""
    try:
        return len(text)
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return 0


def _list_inside(value: object) -> list[object]:
    """What is in a value, as far as it is looked into."""
    try:
        if type(value) is list or type(value) is tuple:
            return [*islice(value, MOST_PARTS + 1)]
        if isinstance(value, BaseException):
            # What is read of an error is what it prints as, whatever it is made of.
            return [format_value(value), *value.args]
        if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - quicker
            return [*islice(value.values(), MOST_PARTS + 1)]
        if isinstance(value, list | tuple | set | frozenset):
            return [*islice(value, MOST_PARTS + 1)]
        held = (getattr(value, name, None) for name in _ASKED)
        return [each for each in held if isinstance(each, str | list | tuple | dict)]
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return []


Describe = str | Callable[[Record], str]
"""A text with the names of arguments in braces, or a function of the record."""

LONGEST = 300
_MOST = 5
"""Of the elements of a list."""


def render_sentence(tool: str, record: Record, *, describe: Describe | None = None) -> str:
    """What a call does, on one line; a description that fails is as good as none."""
    if describe is not None:
        try:
            said = describe(record) if callable(describe) else _fill(describe, record.arguments)
        except Exception:  # noqa: BLE001 - a user's function or text; the names will do
            said = ""
        if isinstance(said, str) and said.strip():
            return format_one_line(said, most=LONGEST)
    # `move_event(event_id="e1")` as "Move event (event id: e1)".
    name = _spell_name(tool)
    given = [
        f"{_spell_name(each)}: {_show_value(value)}"
        for each, value in record.arguments.items()
        if value is not None and value != ""
    ]
    shown = f" ({', '.join(given)})" if given else ""
    return format_one_line(f"{name[:1].upper()}{name[1:]}{shown}", most=LONGEST)


def list_places(describe: str) -> list[str]:
    """The names of arguments that a description has room for."""
    parts = string.Formatter().parse(describe)
    return [re.split(r"[.\[]", name)[0] for _, name, _, _ in parts if name is not None]


def _fill(describe: str, arguments: Mapping[str, object]) -> str:
    shown = {name: _show_value(value) for name, value in arguments.items()}
    return describe.format_map(shown)


def _spell_name(name: str) -> str:
    """A name as people say it: `eventId2` as "event id2"."""
    return " ".join(split_words(separate_words(name))) if NAME.fullmatch(name) else show_name(name)


def _show_value(value: object) -> str:
    parts = value if isinstance(value, list | tuple) else [value]
    text = ", ".join(map(quote_value, parts[:_MOST]))
    return f"{text}, …" if len(parts) > _MOST else text


_SETTLE = 'mulligan settle {id} --note "what you did"'
_UNDO = "mulligan undo {id}"

_RECIPES: Mapping[State, tuple[str, ...]] = {
    State.HELD: (
        "Awaiting your approval. Run it: mulligan approve {id}",
        "Reject it: mulligan deny {id}",
    ),
    State.APPROVED: (
        "It runs once an application that has its tool and its arguments is up.",
        "If it has not run by {until}, it expires. Stop it: mulligan deny {id}",
    ),
    State.NEEDS_HUMAN: (
        "It is unknown whether it happened. Check the current state.",
        "If this call made the change, restore the earlier state: mulligan undo {id} --ours",
        f"Otherwise fix it by hand, then record that: {_SETTLE}",
    ),
    State.CONFLICT: (
        f"It was changed after our call, and that change stands. Keep it: {_SETTLE}",
        "Or restore the earlier state by hand, then record that the same way.",
    ),
    State.UNDO_FAILED: (
        f"Its undo did not work, and it is still in effect. Retry it: {_UNDO}",
        f"Or undo it by hand, then record that: {_SETTLE}",
    ),
    State.DISPUTED: (
        f"A problem was found in its attempt, and it is still in effect. Undo it: {_UNDO}",
        f"Or keep it: {_SETTLE}",
    ),
}

_BY_HAND: Mapping[State, tuple[str, ...]] = {
    State.DISPUTED: (
        "A problem was found in its attempt. It is still in effect and cannot be undone.",
        f"Fix it by hand or keep it, then record that: {_SETTLE}",
    ),
    State.NEEDS_HUMAN: (
        "It is unknown whether it happened, and it cannot be undone. Check the current state.",
        f"Fix it by hand, then record that: {_SETTLE}",
    ),
}
"""Of calls that cannot be undone."""


def render_recipe(action: Action) -> tuple[str, ...]:
    """The steps, each a sentence with a command; none where the application sees to it itself."""
    steps = _RECIPES.get(action.state, ())
    if action.opening.effect is not Effect.REVERSIBLE:
        steps = _BY_HAND.get(action.state, steps)
    until = f"{find_expiry(action.detail, changed_at=action.changed_at):%Y-%m-%d %H:%M} UTC"
    return tuple(step.format(id=action.id, until=until) for step in steps)


A = TypeVar("A")
"""The answer: a frozen dataclass that a model's words are parsed into."""


PIECE = 1_800
"""Bytes of what others wrote in one piece, so that none is cut before the model reads it."""


def split_pieces(text: str, *, name: str) -> dict[str, str]:
    """A text under numbered names, in pieces that end between lines or words where they can."""
    pieces: list[str] = []
    begin = 0
    while len(part := text[begin : begin + PIECE + 1].encode(errors="replace")) > PIECE:
        room = part[:PIECE].decode(errors="ignore")
        end = begin + (room.rfind("\n") + 1 or room.rfind(" ") + 1 or len(room))
        pieces.append(text[begin:end])
        begin = end
    pieces.append(text[begin:])
    return {f"{name} {n}": piece for n, piece in enumerate(pieces, start=1)}


Spend = Callable[..., None]
"""Takes `tokens=` and `money=`: what a model call took."""


@hide_fields("own_prompt", "values", "untrusted", "spend")
class Question(Struct, Generic[A], frozen=True, kw_only=True):
    """One question to a judge, with the type of its answer."""

    prompt: str
    """Name of a prompt file."""
    own_prompt: str = ""
    """The wording that stands in its place; `adapt_template` of `prompts` says how."""
    values: Mapping[str, Ours] = field(default_factory=dict)
    """What fills the placeholders of the prompt: one for each, and no more. It is not fenced."""
    untrusted: Mapping[str, str] = field(default_factory=dict)
    """What others wrote, by a name for each: fenced, cut, last, and never an instruction."""
    answer: type[A]
    purpose: str
    """A few words for the log: what the answer is for."""
    timeout: timedelta | None = None
    """How long the answer may take, in the background; `None`: as the judge has it."""
    tenant: str = ""
    """Whose question it is: a failure of one fails no other."""
    spend: Spend | None = None
    """Told what the answer took, answered or not."""


@hide_fields("instructions", "message")
class Prompt(Struct, frozen=True, kw_only=True):
    """A question as a model gets it."""

    name: str
    version: int
    instructions: str
    """Ours alone: no value and nothing untrusted is ever in here."""
    message: str


T = TypeVar("T")

_WRITTEN = re.compile(r"<(token|uuid) ([0-9]+)>")


class StandIns:
    """The ids that one question names, and what stands for each of them."""

    def __init__(self) -> None:
        self._numbered: dict[str, str] = {}

    def number(self, value: str, *, kind: str) -> str:
        """What stands for an id, such as `<token 1>`."""
        return self._numbered.setdefault(value, f"<{kind} {len(self._numbered) + 1}>")

    def restore(self, answer: T) -> T:
        """An answer, or a part of one, with the ids where their stand-ins are."""
        if not self._numbered:
            return answer
        found: Any = answer
        if isinstance(found, str):
            meant = {shown: value for value, shown in self._numbered.items()}
            found = _WRITTEN.sub(lambda written: meant.get(written[0], written[0]), found)
        elif isinstance(found, list | tuple):
            found = type(found)(map(self.restore, found))
        elif (parts := read_fields(found)) is not None:
            changed = {name: self.restore(part) for name, part in parts.items()}
            found = found if changed == parts else type(found)(**changed)
        return cast("T", found)


def deface(text: str) -> str:
    """Text of others without what would read as one of our stand-ins."""
    return _WRITTEN.sub(r"<\1 … \2>", text)
