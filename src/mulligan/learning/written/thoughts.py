"""What a model wrote to itself or made up: thoughts, and results that nobody has given it yet."""

from __future__ import annotations

import re

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
    """The text without what its writer only thought, up to the first result it made up.

    What follows such a result was decided on something that never happened.
    """
    return _cut_made_up(_drop_channels(_drop_tagged(text)))


def _drop_tagged(text: str) -> str:
    """Without `<think>…</think>`; where only the end stands, the prompt had begun the thought."""
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
    """Without the messages of a channel that is for thoughts."""
    kept: list[str] = []
    at, thinking = 0, False
    for mark in _CHANNEL.finditer(text):
        if not thinking:
            kept.append(text[at : mark.start()])
        at = mark.start()
        thinking = (mark["kind"] or "").strip() == "analysis"
    return "".join(kept if thinking else [*kept, text[at:]])


def _cut_made_up(text: str) -> str:
    found = next((each for each in _MADE_UP.finditer(text) if text[: each.start()].strip()), None)
    return text[: found.start()] if found else text
