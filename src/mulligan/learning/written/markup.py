"""The markup in which models are trained to write calls, rewritten as the plain kind."""

from __future__ import annotations

import json
import re
from dataclasses import field

from mulligan.core.runtime.dataclass import dataclass

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
    """A call whose tag is open, and what of it was read so far."""

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
    """As JSON; empty: there is no call in it, or one that breaks off."""
    if not opened.name or opened.value_at is not None:
        return ""
    if not opened.arguments and inside.lstrip().startswith("{"):
        return f"\n{opened.name} {inside.strip()}\n"
    call = {"name": opened.name, "arguments": opened.arguments}
    return f"\n{json.dumps(call, ensure_ascii=False)}\n"
