"""Finds the tool calls in a model's output: fenced, tagged, as JSON, as Python, within prose.

A call on its own is made, unless the words before it say otherwise. Inside a sentence it is made
only where the sentence says so: in doubt the agent can be asked, but a call cannot be unmade.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.parsing import (
    ESCAPES,
    LONGEST_TEXT,
    GarbledError,
    Named,
    Reader,
    is_like,
    list_expressions,
    match_tool,
    read_json,
    read_whole,
)
from mulligan_dates.text import split_prose

_LONGEST_TALK = 400
"""Characters of context before and after a call."""

_FLAGS = re.IGNORECASE
_AROUND = re.compile(
    r"</?[A-Za-z?!][^<>]{0,60}>|```\w{0,20}|\bprint\s{0,2}(?=\()|\b(?:await|return)\b"
    r"|[\w.]{1,60}\s{0,2}=(?=\s{0,3}$)"
    r"|(?:^|\n)[ \t]{0,8}(?:\d{1,3}[.)]|[-*+•])(?=\s)"
)
"""Text that is not prose: tags, fences, `print(`, an assignment, a list marker."""
_LETTERS = re.compile(r"[^\W\d_]{2,}|\bI\b")
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"'\u201d)]|$)|\n\s{0,20}\n")
_NEGATED = re.compile(
    r"\b(?:not|never|no|nor|neither|none|without|cannot|avoid\w{0,3}|refus\w{0,4}|declin\w{0,3}|"
    r"reject\w{0,3}|ignor\w{0,3}|forbidden|prohibited|unsafe|wrong|instead of|rather than|"
    r"nicht|kein\w{0,2}|nie|niemals|pas|jamais|nunca|jamás|non)\b|n['\u2019]t\b",
    _FLAGS,
)
_TURNED = re.compile(
    r"\b(?:so|but|therefore|thus|hence|then|however|now|yet|instead(?! of)|rather(?! than))\b"
    r"|[,;:]\s{0,3}(?:I|we|let|please)\b|[\"'`)\]]\s{1,3}(?:I|we)\b",
    _FLAGS,
)
"""Words after which a sentence does make the call."""
_SUPPOSED = re.compile(
    r"\b(?:if|unless|once you|in case|would you|shall (?:i|we)|should (?:i|we)|may i|can i|could i|"
    r"do you want|(?:would|could|should|might) have|wenn|falls|soll ich|examples?|e\.g|"
    r"for instance|such as|sample|illustrat\w{0,5}|hypothetical\w{0,2}|imagine|suppose|"
    r"placeholder|definitions?|defined|lambda|signature|schema|beispiel\w{0,2}|exemple|ejemplo|alternativ\w{0,4}|otherwise|"
    r"already|previously|earlier|another (?:option|way))\b|^\W{0,5}or\b",
    _FLAGS,
)
"""Words for a call that is asked about, supposed, shown, or in the past."""
_SUPPOSED_INLINE = re.compile(r"\b(?:would|could|might|may|can|i called|i ran|i used)\b", _FLAGS)
_REPORTED = re.compile(
    r"\b(?:wrote|written|said|says|sent|reads)\b|\b(?:ask|want|tell|told|request|instruct|demand|"
    r"tri|suggest|propos)\w{0,3}(?: (?:me|us|that|i|you)){0,2}(?: to)? "
    r"(?:call|run|execute|use|invoke)\b",
    _FLAGS,
)
_CODE_BLOCK = re.compile(
    r"^\s{0,20}(?:async )?(?:def|for|while|if|elif|else|try|except|with|class)\b[^\n]{0,200}:"
    r"\s{0,5}$"
)
_COMMENT = re.compile(r"^\s*+#|\s#(?=[\sA-Za-z_])|(?:^|\s)//")
_TURN_AFTER = re.compile(r"\b(?:and|so|because|since|while|to|for|then|instead)\b", _FLAGS)
_POINTS_ON = re.compile(r"\b(?:this|these|following|below)\b", _FLAGS)
_GOES_ON = re.compile(
    r"\s{0,3}(?:$|[.;,:!)\]}#*`|\"'\u201d\u2014\u2013-]|//"
    r"|(?:and|then|to|so|for|now|first|next|in order)\b)",
    _FLAGS,
)
"""How a line continues after a call that is made; `delete(…) removes it` is prose about one."""
_MAKING = re.compile(
    r"call(?:s|ing)?|run(?:ning)?|us(?:e|ing)|invok(?:e|ing)|execut(?:e|ing)|try(?:ing)?|"
    r"mak(?:e|ing)|perform(?:ing)?|issu(?:e|ing)|is|be|now|then|next|first|finally|here",
    _FLAGS,
)
_FILLING = re.compile(
    r"the|this|that|an?|my|following|function|tool|method|api|command|with|by|via|on|to|again|it|"
    r"new|one|call|as",
    _FLAGS,
)
MOST_OF_NEXT = 3
"""Words between calls that belong to the next one."""


def has_words(text: str) -> bool:
    """Whether the text between calls has prose, and not only syntax."""
    return _LETTERS.search(_AROUND.sub(" ", text[-_LONGEST_TALK:])) is not None


def is_made(before: str, after: str, *, followed: bool) -> bool:
    """Whether a call is made; `before` and `after` are the text up to the neighbouring calls.

    `followed`: another call begins after `after`.
    """
    line = before[before.rfind("\n") + 1 :][-_LONGEST_TALK:]
    rest = after[:_LONGEST_TALK].split("\n", 1)[0]
    if _is_asked(rest):
        return False
    plain = _AROUND.sub(" ", line)
    if not _LETTERS.search(plain):
        lead = _find_lead(before[: len(before) - len(line)])
        return not denies(lead) and _goes_on(line, rest, followed=followed)
    if plain.rstrip(" `*\"'[({").endswith(":"):
        return not denies(_take_sentence(plain)) and _goes_on(line, rest, followed=followed)
    sentence = _take_sentence(plain)
    return (
        _announces(sentence)
        and not denies(sentence)
        and not _SUPPOSED_INLINE.search(sentence)
        and not _refuses(rest, followed=followed)
    )


def is_quoted(line: str) -> bool:
    """Whether the place after this piece of a line is in a comment, a quotation or a citation."""
    if line.lstrip()[:1] == ">" or _COMMENT.search(line) or line.rfind("<!--") > line.rfind("-->"):
        return True
    for opening, closing in (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“")):
        start = line.rfind(opening)
        inside = start >= 0 and (
            line.count('"') % 2 == 1 if opening == closing else closing not in line[start:]
        )
        if inside and _LETTERS.search(line[start:]):
            return True
    return False


def denies(sentence: str) -> bool:
    """Whether a sentence that leads to a call says that it is not made."""
    if _CODE_BLOCK.match(sentence) or _SUPPOSED.search(sentence):
        return True
    for said in (_NEGATED, _REPORTED):
        found = [each.end() for each in said.finditer(sentence)]
        if found and not _TURNED.search(sentence, found[-1]):
            return True
    return False


def _find_lead(before: str) -> str:
    """The last sentence before a line, if it introduces it; else empty."""
    for line in reversed(before[-_LONGEST_TALK:].split("\n")):
        plain = _AROUND.sub(" ", line).strip(" \t>*_[]({`,")
        if not _LETTERS.search(plain):
            continue
        sentence = _take_sentence(plain.rstrip(".!?"))
        open_ended = not plain.endswith((".", "!", "?", ")", ";"))
        return sentence if open_ended or _POINTS_ON.search(sentence) else ""
    return ""


def _take_sentence(text: str) -> str:
    """The text after the last complete sentence."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def _announces(sentence: str) -> bool:
    """Whether the last words before a call say that it is made."""
    for word in reversed(split_prose(sentence)[-6:]):
        if _MAKING.fullmatch(word):
            return True
        if not _FILLING.fullmatch(word):
            return False
    return False


def _goes_on(line: str, rest: str, *, followed: bool) -> bool:
    """Whether the rest of the line leaves the call unchanged."""
    if not _LETTERS.search(_AROUND.sub(" ", rest)) or line.rstrip().endswith(("(", "[", "{")):
        return True
    return _GOES_ON.match(rest) is not None and not _refuses(rest, followed=followed)


def _refuses(rest: str, *, followed: bool) -> bool:
    """Whether the sentence then says that the call is not made: `which I refuse`."""
    ended = _SENTENCE_END.search(rest)
    sentence = rest[: ended.start()] if ended else rest
    if _COMMENT.search(sentence[:4]):
        return False
    turn = _TURN_AFTER.search(sentence)
    said = sentence[: turn.start()] if turn else sentence
    found = _NEGATED.search(said)
    if found is None:
        return False
    of_next = followed and not ended and not turn
    return not of_next or len(split_prose(said[found.start() :])) > MOST_OF_NEXT


def _is_asked(rest: str) -> bool:
    """Whether the sentence is a question: `Should I call it(…)?`"""
    ended = _SENTENCE_END.search(rest)
    return rest.lstrip(" `\"')”")[:1] == "?" or (ended is not None and ended.group() == "?")


_THOUGHT = re.compile(
    r"<(?P<close>/?)(?:antml:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|"
    r"inner_monologue)\s*>",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|(?:channel\|>(?P<kind>\s{0,3}\w{1,20})|end\|>|start\|>|return\|>)")
_MADE_UP = re.compile(
    r"^[ \t*_]{0,4}Observations?[ \t*_]{0,4}:|^(?:Human|User) ?:"
    r"|^[ \t]{0,16}#{2,3} ?(?:Instruction|Input|Question|User|Human)\b"
    r"|<(?:tool_response|tool_result|function_results?)s?>|\[TOOL_RESULTS\]"
    r"|<\|im_start\|>(?:user|tool|system)\b|<\|start_header_id\|>(?:user|tool|ipython)\b",
    re.MULTILINE,
)


def drop_thoughts(text: str) -> str:
    """The text without thoughts, up to the first invented result.

    What follows an invented result rests on something that never happened.
    """
    text = _drop_channels(_drop_tagged(text))
    made_up = (each.start() for each in _MADE_UP.finditer(text) if text[: each.start()].strip())
    return text[: next(made_up, len(text))]


def _drop_tagged(text: str) -> str:
    """Without `<think>…</think>`; a lone end tag means that the prompt opened the thought."""
    kept: list[str] = []
    at, thinking = 0, False
    for tag in _THOUGHT.finditer(text):
        if tag["close"]:
            kept = kept if thinking else []
        elif not thinking:
            kept.append(text[at : tag.start()])
        thinking = not tag["close"]
        at = tag.end()
    return "\n".join(kept if thinking else [*kept, text[at:]])


def _drop_channels(text: str) -> str:
    """Without the messages of a reasoning channel."""
    kept: list[str] = []
    at, thinking = 0, False
    for mark in _CHANNEL.finditer(text):
        if not thinking:
            kept.append(text[at : mark.start()])
        at = mark.start()
        thinking = (mark["kind"] or "").strip() == "analysis"
    return "".join(kept if thinking else [*kept, text[at:]])


_TAG = re.compile(
    r"<(?P<close>/?)(?:antml:)?"
    r"(?P<kind>invoke|function|parameters|parameter|tool_name|tool_call|arg_key|arg_value)"
    r"(?:=(?P<bare>[\w.:/\-]{1,100})|\s{1,3}name=[\"'](?P<name>[^\"'<>]{1,100})[\"'])?\s{0,3}>"
)
_CHILD = re.compile(r"<(\w{1,60})>([^<]*+)</(\w{1,60})>")
_TOKEN = re.compile(
    r"<[|\uff5c][^|\uff5c<>]{0,40}[|\uff5c]>(?:(?:assistant|user|system|tool|commentary|final)\b)?"
    r"|\[(?:/?TOOL_CALLS|ARGS)\]|\[CALL_ID\]\w{0,40}"
)
_REWRITTEN = (
    # Kimi's index, DeepSeek's kind, the recipient of a harmony message, Qwen's flowers.
    (re.compile(r"(?<=<\|tool_call_begin\|>)([\w.\-]{1,100}):\d{1,4}(?=<\|)"), r"\1"),
    (re.compile(r"<\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>"), "\n"),
    (
        re.compile(
            r"\bto=([\w.\-]{1,100})(?:\s{0,2}<\|(?:channel|constrain)\|>\s?\w{1,20})*+\s{0,2}"
            r"<\|message\|>"
        ),
        r"\n\1 ",
    ),
    (re.compile(r"✿FUNCTION✿\s{0,2}:"), "\nAction:"),
    (re.compile(r"✿ARGS✿\s{0,2}:"), "Action Input:"),
    (
        re.compile(
            r"^[ \t]{0,4}\*\*(Action Input|Action|Tool|Arguments)(?::\*\*|\*\*:)", re.MULTILINE
        ),
        r"\1:",
    ),
    (re.compile(r"^>>>[ \t]?", re.MULTILINE), ""),
    (_TOKEN, "\n"),
)


def rewrite_markup(text: str) -> str:
    """The text with every call in tags as JSON, and without the tokens between calls."""
    text = _rewrite_tags(text)
    for pattern, plain in _REWRITTEN:
        text = pattern.sub(plain, text)
    return text


@dataclass(slots=True)
class _Opened:
    """A call whose tag is open, and what was parsed so far."""

    start: int
    inside: int
    name: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    key: str | None = None
    value_at: int | None = None


def _rewrite_tags(text: str) -> str:
    kept: list[str] = []
    at = 0
    opened: _Opened | None = None
    for tag in _TAG.finditer(text):
        kind, name = tag["kind"], tag["bare"] or tag["name"] or ""
        if not tag["close"] and (kind in ("invoke", "tool_call") or (kind == "function" and name)):
            opened = _Opened(tag.start(), tag.end(), name)
        elif opened is None:
            continue
        elif tag["close"] and kind in ("invoke", "function", "tool_call"):
            if plain := _render_call(opened, text[opened.inside : tag.start()]):
                kept += [text[at : opened.start], plain]
                at = tag.end()
            opened = None
        else:
            _read_part(opened, tag, text)
    return "".join([*kept, text[at:]])


def _read_part(opened: _Opened, tag: re.Match[str], text: str) -> None:
    """One tag inside a call: a name, a key, or a value that begins or ends."""
    kind = tag["kind"]
    if not tag["close"]:
        if kind == "arg_key" and not opened.name:
            opened.name = text[opened.inside : tag.start()].strip()
        if kind == "parameter":
            opened.key = tag["bare"] or tag["name"]
        opened.value_at = tag.end()
        return
    held = text[opened.value_at : tag.start()] if opened.value_at is not None else ""
    opened.value_at = None
    if kind == "tool_name":
        opened.name = held.strip()
    elif kind == "arg_key":
        opened.key = held.strip()
    elif kind == "parameters":
        opened.arguments |= {
            name: value for name, value, end in _CHILD.findall(held) if name == end
        }
    elif opened.key is not None:
        opened.arguments[opened.key] = held.removeprefix("\n").removesuffix("\n")
        opened.key = None


def _render_call(opened: _Opened, inside: str) -> str:
    """As JSON; empty: no call in it, or a truncated one."""
    if not opened.name or opened.value_at is not None:
        return ""
    if not opened.arguments and inside.lstrip().startswith("{"):
        return f"\n{opened.name} {inside.strip()}\n"
    call = {"name": opened.name, "arguments": opened.arguments}
    return f"\n{json.dumps(call, ensure_ascii=False)}\n"


NAME_KEYS = (
    *("name", "function", "tool", "tool_name", "function_name", "func", "api", "action"),
    "recipient_name",
)
ARGUMENT_KEYS = ("arguments", "parameters", "params", "args", "kwargs", "input", "action_input")
HOLDERS = re.compile(
    r"(?:tool|function)_calls?|functions|calls?|actions?|tools?|tool_uses|content|messages?|"
    r"choices|outputs?|parts|steps"
)
"""Keys that hold calls. Under other keys, such as `example` or `rejected`, calls are shown and not
made."""
REMARKS = re.compile(
    r"id|index|type|role|call_id|tool_call_id|tool_use_id|thoughts?|thinking|reasoning|rationale|"
    r"reason|explanation|comment|description|content|log|status|confidence"
)
"""Metadata keys that may stand beside a call's arguments."""
MOST_DOUBTED = 60
"""Characters that are shown of unparsed text."""


class WrittenCall(Struct, frozen=True):
    """One call as written: nothing is resolved or validated yet."""

    name: str
    arguments: dict[str, object]
    values: tuple[object, ...] = ()
    """Arguments without a name, in order."""
    doubts: tuple[str, ...] = ()
    """Doubts about its values, a sentence each."""


def find_calls(value: object, tools: Sequence[str]) -> Iterator[WrittenCall]:
    """The calls in a structure: a list of them, `{name, arguments}`, `{tool: arguments}`."""
    match value:
        case [str() as name, dict() as given] if match_tool(name, tools):
            yield build_call(name, given)
        case list() | tuple():
            for item in value:
                yield from find_calls(item, tools)
        case Named():
            yield from_named(value)
        case dict():
            yield from _from_mapping(value, tools)
        case _:
            return


def from_named(call: Named) -> WrittenCall:
    """A sole mapping without a name holds the arguments: `tool({"a": 1})`."""
    if len(call.values) == 1 and not call.keywords and isinstance(call.values[0], dict):
        return build_call(call.name, call.values[0])
    return build_call(call.name, call.keywords, values=tuple(call.values))


def build_call(
    name: str,
    arguments: dict[str, object],
    *,
    values: tuple[object, ...] = (),
    doubts: Sequence[str] = (),
) -> WrittenCall:
    """A call, with a doubt for every expression in the place of a value."""
    unread = [*list_expressions(arguments), *list_expressions(values)]
    said = [f"{each[:MOST_DOUBTED]!r} is an expression, not a value" for each in unread]
    return WrittenCall(name, arguments, values, (*doubts, *said))


def decode_arguments(value: object) -> dict[str, object] | None:
    """Arguments that may have come as text."""
    try:
        value = read_whole(value) if isinstance(value, str) else value
    except GarbledError:
        return None
    return value if isinstance(value, dict) else None


def _from_mapping(value: Mapping[str, object], tools: Sequence[str]) -> Iterator[WrittenCall]:
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _from_mapping(inner, tools)
        return
    name_key = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    holder = next((k for k in ARGUMENT_KEYS if decode_arguments(value.get(k)) is not None), None)
    name = str(value[name_key]) if name_key else ""
    if name_key and (holder or match_tool(name, tools)):
        rest = {k: v for k, v in value.items() if k not in (name_key, holder)}
        arguments = (decode_arguments(value[holder]) or {}) if holder else rest
        # A tool definition, not a call: its arguments are a schema.
        offered = isinstance(arguments.get("properties"), dict) and "type" in arguments
        if not offered and "input_schema" not in rest and "inputSchema" not in rest:
            doubts = [
                f"{key}={held!r}"[:MOST_DOUBTED] + " stands beside its arguments"
                for key, held in (rest.items() if holder else ())
                if not REMARKS.fullmatch(key) and held not in (None, "", [], {})
            ]
            yield build_call(name, arguments, doubts=doubts)
        return
    for key, held in value.items():
        given = decode_arguments(held)
        if match_tool(key, tools) and given is not None:
            yield build_call(key, given)
        elif isinstance(held, list | dict) and (
            HOLDERS.fullmatch(key) or (len(value) == 1 and not denies(key.replace("_", " ")))
        ):
            yield from find_calls(held, tools)


MOST_TRIES = 60
"""False candidates before the rest of a text is skipped."""
LABELS = frozenset({"action", "call", "tool", "function", "tool_call", "function_call", "command"})
"""What may stand before a name with nothing but a colon between: `Action:find`."""

_OPENING = re.compile(r"(?<![\w$@/\\.~!\-])[^\W\d]\w*+(?:[./\-]\w++)*+|\{")
_AFTER_NAME = re.compile(
    r"['\"`]?\s*+(?P<sign>\(|(?:[:,]\s*+|with\s++)?"
    r"(?:(?:action[ _]|tool[ _])?(?:input|arguments?|args|parameters?)\s*+[:=]?\s*+)?"
    r"(?:```\w*+\s*+)?(?=\{))",
    re.IGNORECASE,
)
"""What may stand between a name and its arguments, as in `Action: find`, `Action Input: {…}`."""
_LINE_INPUT = re.compile(
    r"['\"`]?[ \t]*+\n\s*+(?:action|tool)[ _]input[ \t]*+:[ \t]*+(?P<text>[^\n{}\[\]()]{1,500}+)",
    re.IGNORECASE,
)
_CHAINED = re.compile(r"\.[A-Za-z_]\w{0,60}\s?\(")
_CALL_OBJECT = re.compile(r"\{\s{0,20}[\"'](?:name|function|tool|action|arguments|parameters)")
_SEVERAL = re.compile(r"[,;=:|]")
_LABEL = re.compile(r"(\w{1,40}):\Z")
_JOINS = re.compile(r"[\s,;`]*+(?:and|then|and then)?[\s,;`]*+")
_ASSIGNED = re.compile(
    r"(?:^|\n)[ \t]*+([A-Za-z_]\w*+)[ \t]*+=(?!=)|\bfor[ \t]++([A-Za-z_]\w*+)[ \t]++in\b"
)


class _Place(Struct, frozen=True):
    call: WrittenCall
    start: int
    end: int


def find_written(text: str, tools: Sequence[str]) -> list[WrittenCall]:
    """The calls that a text makes, in order, without those it only mentions."""
    places = list(_find_places(text, tools))
    made: list[_Place] = []
    lead = True
    for index, place in enumerate(places):
        last = places[index - 1] if index else None
        before = text[last.end if last else 0 : place.start]
        follows = places[index + 1].start if index + 1 < len(places) else len(text)
        after = text[place.end : follows]
        line = before[before.rfind("\n") + 1 :]
        joined = last is not None and (_JOINS.fullmatch(before) or not has_words(before))
        if is_quoted(line):
            continue
        if not joined:
            lead = is_made(before, after, followed=follows < len(text))
        elif after.lstrip(" `\"')")[:1] == "?":
            continue
        if lead:
            made.append(place)
    return [place.call for place in _drop_strangers(made, text, tools)]


def _drop_strangers(places: list[_Place], text: str, tools: Sequence[str]) -> Iterator[_Place]:
    """Without unknown names, except those listed with tool calls or similar to a tool."""
    for index, place in enumerate(places):
        beside = [places[each] for each in (index - 1, index + 1) if 0 <= each < len(places)]
        given = place.call.arguments or place.call.values
        like = is_like(place.call.name, tools) and (given or match_tool(place.call.name, tools))
        if like or any(_are_listed(place, each, text=text, tools=tools) for each in beside):
            yield place


def _are_listed(one: _Place, tool: _Place, *, text: str, tools: Sequence[str]) -> bool:
    """Whether a call stands in one list with a tool's."""
    first, second = sorted((one, tool), key=lambda place: place.start)
    between = text[first.end : second.start]
    listed = "," in between or text[one.start] == "{"
    return listed and not has_words(between) and match_tool(tool.call.name, tools) is not None


def _find_places(text: str, tools: Sequence[str]) -> Iterator[_Place]:
    """Every candidate that can be parsed; after a tool call that cannot be, nothing more is parsed.

    The end of such a call is unknown, and text inside it is not a call.
    """
    # Unknown names have a budget of their own: prose must not use up that of calls.
    reader, strangers = Reader(text), Reader(text)
    variables = {name for pair in _ASSIGNED.findall(text) for name in pair if name}
    at, tries, strange = 0, 0, 0
    while tries < MOST_TRIES and (found := _OPENING.search(text, at)):
        name = _read_call_name(found)
        known = match_tool(name, tools) is not None
        tool_like = known or name == "{"
        if not tool_like and strange >= MOST_TRIES:
            at = found.end()
            continue
        try:
            calls, end = _read_at(reader if tool_like else strangers, found, name=name, tools=tools)
        except (GarbledError, RecursionError):
            if known or _CALL_OBJECT.match(text, found.start()):
                return
            calls, end = [], found.end()
            tries += tool_like
            strange += not tool_like
        for call in calls:
            yield _Place(_mark_variables(call, variables), found.start(), end)
        at = max(end, found.start() + 1)


def _read_call_name(found: re.Match[str]) -> str:
    """The whole name, with a prefix before a colon: `staging:delete` is not `delete`."""
    text, start = found.string, found.start()
    if found.group() == "{":
        return "{"
    label = _LABEL.search(text, max(0, start - 41), start)
    tied = label is not None and label[1].casefold() not in LABELS
    return f"{label[1]}:{found.group()}" if label and tied else found.group()


def _read_at(
    reader: Reader, found: re.Match[str], *, name: str, tools: Sequence[str]
) -> tuple[list[WrittenCall], int]:
    text = found.string
    if name == "{":
        value, end = reader.parse_value(found.start())
        calls = list(find_calls(value, tools))
        return (calls, end) if calls else ([], found.end())
    rest = _AFTER_NAME.match(text, found.end())
    known = match_tool(name, tools) is not None
    if not rest:
        line = _LINE_INPUT.match(text, found.end()) if known else None
        if line is None:
            return [], found.end()
        # `Action Input: W1`: one value, if it can be only one.
        given = line["text"].strip().strip("\"'`")
        empty = given.casefold() in ("", "none", "null", "n/a")
        several = [f"{given[:60]!r} may be one value or several"] if _SEVERAL.search(given) else []
        values = () if empty else (given,)
        return [build_call(name, {}, values=values, doubts=several if values else ())], line.end()
    if rest.group("sign") == "(":
        named, end = reader.parse_arguments(rest.end() - 1, name=name)
        call, chain = from_named(named), _CHAINED.match(text, end)
        # `delete(…).preview()`: the chained call may change the meaning.
        said = (f"{chain.group()!r} follows it, and is not parsed",) if chain else ()
        call = replace(call, doubts=call.doubts + said)
    else:
        value, end = reader.parse_value(rest.end())
        if not isinstance(value, dict) or (not known and list(find_calls(value, tools))):
            return [], found.end()
        call = build_call(name, value)
    holds_others = not known and any(
        is_like(each.group(), tools) for each in _OPENING.finditer(text, found.end(), end)
    )
    return ([], found.end()) if holds_others else ([call], end)


def _mark_variables(call: WrittenCall, variables: set[str]) -> WrittenCall:
    """`order_id=order` after `order = …`: a variable, not a value."""
    held = [*call.arguments.values(), *call.values]
    named = [each for each in held if isinstance(each, str) and each in variables]
    said = tuple(f"{each!r} names a variable, not a value" for each in named)
    return replace(call, doubts=call.doubts + said)


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_calls(written: object, *, tools: Sequence[str]) -> list[WrittenCall]:
    """The calls that a text makes, in order; calls that it only mentions are left out."""
    if isinstance(written, list) and written and all(isinstance(each, str) for each in written):
        written = "\n".join(written)
    if not isinstance(written, str):
        return list(find_calls(written, tools))
    if len(written) > LONGEST_TEXT:
        return []
    text = rewrite_markup(drop_thoughts(_unwrap_text(written))).replace("\\_", "_")
    strict, value = read_json(text)
    if strict and isinstance(value, list | dict):
        return read_calls(value, tools=tools)
    return find_written(text, tools)


def _unwrap_text(text: str) -> str:
    """Without a JSON string around it, also a truncated one."""
    if not text.lstrip().startswith('"'):
        return text
    strict, inner = read_json(text.strip())
    if not strict:
        inner = _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), text.strip()[1:])
    return inner if isinstance(inner, str) else text.strip()
