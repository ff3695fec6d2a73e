"""Messages and records of a library that nothing here knows, read by their shape: who speaks, which
tool was called with what, and what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_SPEAKERS = ("role", "source", "sender", "author")
_WORDS: Mapping[str, str] = {
    "user": "user",
    "human": "user",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_HOLDERS = (
    "content", "parts", "items", "blocks", "steps", "function", "tool_calls",
    "toolCalls", "trajectory", "tool_call", "tool_call_result", "toolInvocation", "toolInvocations",
)  # fmt: skip
_NAMES = ("tool_name", "toolName", "function_name", "tool", "name")
_GIVEN = ("arguments", "args", "tool_args", "tool_kwargs", "tool_input", "parameters", "input")
_CAME = ("result", "output", "observation", "observations", "response")
_IDS = ("tool_call_id", "toolCallId", "call_id", "tool_use_id", "id")
_ASKED = ("task", "question", "prompt", "query", "user_input", "request", "input")
_ANSWERED = ("answer", "final_output", "output", "response", "reply")
_NUMBERED = re.compile(r"(\w+?)_(\d{1,4})")
_MOST_DEEP = 4

Held = Mapping[str, Any]


def read_shape(message: Held) -> list[dict[str, Any]]:
    """The message as ones that the base reads; none where it has no shape of one."""
    speaker, parts = _find_speaker(message), list(_list_parts(message))
    calls = [each for each in parts if each["type"] == "tool_use"]
    texts = [_say(speaker or "assistant", text) for text in _list_texts(message)]
    if speaker is not None:
        if not parts and speaker == "tool":
            extra = message.get("additional_kwargs")
            held = {**(extra if isinstance(extra, Mapping) else {}), **message}
            text = "\n".join(each["content"] for each in texts)
            return [_result(held, text)] if texts else []
        return [*texts, *map(_wrap, parts)]
    asked, step = _find_text(message, _ASKED), "step_number" in message
    if step and not calls and isinstance(said := message.get("model_output_message"), Mapping):
        calls = parts = list(_list_parts(said))
    if step and len(calls) == 1 and len(parts) == 1:
        # A step tells of its call and its end side by side.
        parts = [*parts, _read_end(message, str(calls[0]["id"]))]
    ended = len(calls) < len(parts) and (calls or all(each["tool_use_id"] for each in parts))
    if not (ended or (calls and (asked or step))) and set(message) - {"task", "task_images"}:
        return []
    answer = _find_text(message, _ANSWERED) if asked else ""
    before = [_say("user", asked)] if asked else []
    after = [_say("assistant", answer)] if answer else []
    return [*before, *map(_wrap, parts), *after]


def _find_speaker(message: Held) -> str | None:
    for name in _SPEAKERS:
        if isinstance(said := message.get(name), str):
            words = re.findall("[a-z]+", said.lower())
            return next((_WORDS[word] for word in words if word in _WORDS), "assistant")
    return None


def _list_parts(held: Held, deep: int = 0) -> Iterator[dict[str, Any]]:
    """Calls and results, wherever a message has them."""
    if deep >= _MOST_DEEP:
        return
    extra = held.get("additional_kwargs")
    for each in (held, extra) if isinstance(extra, Mapping) else (held,):
        for name in _HOLDERS:
            inner = each.get(name)
            for part in inner if isinstance(inner, list) else _split_numbered(inner):
                if isinstance(part, Mapping):
                    yield from list(_read_part(part)) or _list_parts(part, deep + 1)


def _split_numbered(held: object) -> list[object]:
    """Steps that stand in one object under numbered names, `tool_name_0`, each by itself."""
    if not isinstance(held, Mapping):
        return [held]
    steps: dict[int, dict[str, object]] = {}
    for key, value in held.items():
        if (found := _NUMBERED.fullmatch(str(key))) is not None:
            steps.setdefault(int(found[2]), {})[found[1]] = value
    return [steps[number] for number in sorted(steps)] or [held]


def _read_part(part: Held) -> Iterator[dict[str, Any]]:
    """What was called, what came of it, or both."""
    if part.get("type") == "text":
        return
    inner, origin = part.get("function"), part.get("origin")
    held = {**(inner if isinstance(inner, Mapping) else {}), **part}
    tool = _find_text(held, _NAMES)
    given = next((held[n] for n in _GIVEN if _is_given(held.get(n))), None)
    key = _find_id(held)
    if tool and given is not None:
        yield {"type": "tool_use", "id": key, "name": tool, "input": given}
    named = _CAME if given is not None else (*_CAME, "content")
    is_end = bool(held.get("error")) or any(held.get(name) is not None for name in named)
    if isinstance(origin, Mapping) and is_end:
        yield _read_end(held, _find_id(origin))
    elif is_end and (tool or (key and "id" not in held)):
        yield _read_end(held, key)


def _is_given(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip()[:1] == "{")


def _find_id(held: Held) -> str:
    return next((str(held[name]) for name in _IDS if held.get(name)), "")


def _read_end(held: Held, key: str) -> dict[str, Any]:
    error = held.get("error")
    told = error.get("message", error) if isinstance(error, Mapping) else error
    came = next((held[n] for n in (*_CAME, "content") if held.get(n) is not None), None)
    failed = bool(error) or is_flagged(held)
    if isinstance(came, Mapping) and came.keys() == {"type", "value"}:
        failed, came = failed or str(came["type"]).startswith("error"), came["value"]
    said = told if came is None or (isinstance(error, str | Mapping) and error) else came
    return {"type": "tool_result", "tool_use_id": key, "content": said, "is_error": failed}


def is_flagged(held: Held) -> bool:
    """Whether what came of a call says itself that it failed: `is_error`, `tool_call_error`."""
    told = any(value is True for name, value in held.items() if str(name).endswith("_error"))
    return told or held.get("isError") is True or held.get("status") == "error"


def _result(held: Held, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": _find_id(held), "content": text}


def _wrap(part: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user" if part["type"] == "tool_result" else "assistant", "content": [part]}


def _say(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def _list_texts(message: Held) -> Iterator[str]:
    for name in ("content", "text", "parts", "items", "blocks"):
        held = message.get(name)
        if isinstance(held, str):
            yield held
        for part in held if isinstance(held, list) else ():
            if isinstance(part, Mapping) and isinstance(text := part.get("text"), str) and text:
                yield text


def _find_text(message: Held, names: tuple[str, ...]) -> str:
    return next((v for n in names if isinstance(v := message.get(n), str) and v.strip()), "")
