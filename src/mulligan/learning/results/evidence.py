"""What an object says of itself: that it is an error, or that it is what was asked for.

An error is told by what says that it is one: a flag, a status with words beside it, an error field
with content, a problem document, an error's type or its stack. What else stands in the object
proves nothing, for services put there what they like. Against it speaks only what somebody may have
asked for: records, counts, a report on something that was checked, or that all went well. A sign
that records of things bear too, such as the state of a job, counts only where nothing else stands
beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.learning.errors.field_names import fold_names
from mulligan.learning.errors.fields import EXITS
from mulligan.learning.results.openings import opens_as_error, says_failure
from mulligan.learning.values.vocabulary import list_words

Fields = Mapping[str, object]
"""An object's fields, by their names in the one spelling."""

FLAGS = frozenset(fold_names("is_error has_error has_errors is_failure is_failed is_exception"))
SUCCESS = frozenset(fold_names("success ok succeeded is_success successful"))
STATES = frozenset(fold_names("status state outcome result_status result"))
STATUSES = fold_names("status status_code http_status http_status_code response_code cod codigo")
ERROR = fold_names("""
    error exception fault err error_message error_messages error_msg err_msg error_description
    error_text error_detail error_details fault_string function_error fehler fehlermeldung erreur
    errore erro fout
""")
"""A field that is only there, with content, where it did not work."""
THINGS = fold_names("fault exception")
"""Those of them that are things in some trades: a fault of the earth, an exception to a rule."""
MANY = fold_names("errors faults exceptions user_errors")
"""The same in the plural, which reports of a check have too."""
CODED = fold_names("error_code err_code error_number errno")
KINDS = fold_names(
    "type __type __typename name kind class error_type exception_type error_class object error_name"
)
STACKS = fold_names("stack stack_trace traceback backtrace")
SAID = fold_names("message msg detail mensaje meldung nachricht mensagem messaggio")
"""Where a message for people stands."""
WORDS = (*SAID, *ERROR, *MANY, *fold_names("reason description error_reason"))
WRITTEN = fold_names("stdout stderr output command cmd")
"""What a program that a tool ran wrote, and what it was."""
ENDS = frozenset(EXITS)

MARKS = frozenset({*FLAGS, *SUCCESS, *STATES, *STATUSES, *ERROR, *MANY, *CODED, *STACKS, *ENDS})
MARKS |= frozenset(("code", "type", "__type", "__typename", "object"))
TELLING = MARKS - frozenset(("type", "__type", "__typename", "object", "result"))
"""Fields of which any alone may say that it did not work; of the others, beside a message."""

SPEAKING = TELLING | frozenset(("detail", "title"))
_KINDS, _SAID = frozenset(KINDS), frozenset(SAID)
_ENDS = ("error", "errors", "exception")

DATA = frozenset(fold_names("data result results items rows records value values hits entries"))
REPORT = frozenset(fold_names("warnings valid is_valid passed level logger"))
"""Fields of a report on something that was checked, or of a line in a log."""
ABOUT = frozenset(
    fold_names("""
    message msg detail details reason description hint title path timestamp time ts date
    request_id trace_id jsonrpc instance help suggestion suggestions retryable retry_after
    documentation doc_url stdout stderr started_at completed_at finished_at created_at duration
    elapsed annotations meta metadata headers links extensions locations jsonapi fields field param
    params parameters context request method url uri version category domain cause causes source
    info more_info code codes severity retry api_version service host warning_messages output
    command cmd args node language locale response_metadata inner_error help_url reference global
""")
)
"""What is said about an answer, and is none itself."""

WELL = list_words("ok success succeeded successful completed complete done passed fine 200 201")
FALSE = list_words("false no n 0 failed failure fail error")
NOTHING = list_words("none null no false 0 ok success nil n/a -")
_BAD_STATE = list_words("error errored exception fatal ko nok")
_FAILED_STATE = list_words("failed failure fail")
_ABOUT = compile_late(
    r"(?:request|trace|correlation|debug|log|span|event|response|error|incident|transaction)id$|"
    r"^(?:error|exception|fault|err|fehler)|(?:url|links?|version|timestamp|time|headers|metadata)$"
)
_ERROR_TYPE = compile_late(r"(?:.*[.#:/])?[A-Z]\w{0,80}(?:Error|Exception|Fault)")
_SHOUTED = compile_late(r"[A-Z][A-Z0-9]{2,40}(?:_[A-Z0-9]{1,40}){1,8}")
_COUNTED = compile_late(
    r"(?:count|total|rate|ratio|percent|number|sum|size|[a-rt-z]s|[a-z]ed)$", re.ASCII
)
_MEASURE = compile_late(r"[\u00b1~<>+-]?\s?\d[\d.,]*\s?(?:%|[^\W\d]{1,10})?")
"""How large an error is, and not what it is."""
_NO_COUNT = compile_late(
    r"(?:status|seconds|secs|ms|millis|tries|retries|attempts|address|params)$"
)


def is_error(held: Fields, *, asked: bool = False) -> bool:
    """Whether an object is an error. `asked`: its tool is one that tells of errors."""
    if SUCCESS.isdisjoint(held) and not _may_speak(held):
        # Most envelopes end here.
        return False
    if _is_flagged(held) or _is_answer_of_http(held):
        return True
    signs = _count_signs(held)
    if signs >= 2:
        return not _speaks_against(held)
    return signs == 1 and not (asked or _speaks_against(held) or _has_payload(held))


def _may_speak(held: Fields) -> bool:
    for name, value in held.items():
        if value and (name in SPEAKING or name.endswith(_ENDS)):
            return True
        if name in _KINDS and (value == "error" or not _SAID.isdisjoint(held)):
            return True
    return False


def is_only_message(held: Fields) -> bool:
    """Nothing but a message, and one that says that it did not work."""
    if len(held) > 4:
        return False
    told = [name for name, value in held.items() if not is_blank(value)]
    said = [held[name] for name in told if name in SAID]
    alone = len(said) == 1 and all(name in SAID or name in PASSING for name in told)
    return alone and isinstance(said[0], str) and says_failure(said[0])


PASSING = frozenset(fold_names("retry_after request_id trace_id timestamp path documentation_url"))


def is_nothing_but_error(held: Fields) -> bool:
    """Whether an entry of a list is an error, and no record of one."""
    if _has_code_of_error(held) and _has_words(held):
        return not _has_payload(held)
    said = next((held[name] for name in ERROR if name in held), None)
    telling = isinstance(said, Mapping) or (isinstance(said, str) and opens_as_error(said))
    return telling and not _has_payload(held)


def is_blank(value: object, *, depth: int = 3) -> bool:
    """Nothing, or an object that holds nothing."""
    if value is None or value is False or value == "":
        return True
    if isinstance(value, Mapping):
        return (
            len(value) <= 20
            and depth > 0
            and all(is_blank(each, depth=depth - 1) for each in value.values())
        )
    return isinstance(value, list | tuple) and not value


_JSEND = frozenset(("status", "data", "message", "code"))
"""The fields of a convention in which `fail` comes with what is wrong as its data."""


def _is_flagged(held: Fields) -> bool:
    """A field that says outright whether it worked."""
    if any(held.get(name) is True for name in FLAGS):
        return True
    if any(_is_false(held, name) for name in SUCCESS if name in held):
        return True
    if held.get("status") == "fail" and _JSEND.issuperset(held):
        return True
    spoken = held.get("error") is True
    return spoken and (_is_part(held) or _has_words(held) or not _has_payload(held))


def _is_false(held: Fields, name: str) -> bool:
    """`False` in any spelling. Where nothing says why, beside data it is part of that, as is 0."""
    value = held[name]
    if isinstance(value, str):
        return value.strip().casefold() in FALSE
    if value is False:
        return _has_words(held) or not any(_is_data(each, held[each]) for each in held)
    return type(value) is int and value == 0 and _has_words(held) and not _speaks_against(held)


def _is_part(held: Fields) -> bool:
    """A part of MCP content, which some servers flag by itself."""
    return isinstance(held.get("type"), str) and isinstance(held.get("text"), str)


def _has_words(held: Fields) -> bool:
    """Whether anything says what happened, in words or in parts."""
    return any(_is_said(held.get(name)) for name in WORDS if held.get(name) is not True)


def _is_answer_of_http(held: Fields) -> bool:
    """A status that refuses, beside a message or a body: the answer of a service, or a problem."""
    status = next((held[name] for name in STATUSES if _is_refusal(held.get(name))), None)
    if status is None:
        return False
    problem = isinstance(held.get("title"), str) and not {"detail", "type"}.isdisjoint(held)
    return problem or _has_words(held) or any(name in held for name in ("body", "text", "errors"))


def _is_refusal(code: object) -> bool:
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    return type(code) is int and 400 <= code < 600


def _count_signs(held: Fields) -> int:
    """How much says that it is an error: one sign may be a record's, two are none."""
    signs = 2 * (_names_error(held) or _lists_faults(held) or _has_stack(held))
    if signs:
        return signs
    signs = any(_is_said(held.get(name)) for name in MANY) or _names_some_error(held)
    signs += _weigh_state(held) + _weigh_code(held) + _weigh_kind(held) + _weigh_exit(held)
    return signs


def _names_error(held: Fields) -> bool:
    if _has_code_of_error(held) and _has_words(held):
        return True
    return any(_is_said(held.get(name)) for name in ERROR if name not in THINGS) or any(
        _is_fault(held.get(name)) for name in THINGS
    )


def _is_fault(value: object) -> bool:
    """What may be the name of a thing is an error only if it reads as one."""
    if isinstance(value, str):
        return bool(_ERROR_TYPE.fullmatch(value[:200])) or says_failure(value)
    return _is_said(value)


def _names_some_error(held: Fields) -> bool:
    """`validationErrors`, `sync_error`; the last error of something is part of its record."""
    return any(_is_said(value) for name, value in held.items() if ends_as_error(name))


def ends_as_error(name: str) -> bool:
    """Whether a field is named after some error, and not after the last of several."""
    return name.endswith(_ENDS) and not name.startswith(("last", "previous"))


def _has_code_of_error(held: Fields) -> bool:
    codes = (held.get(name) for name in CODED)
    return any(
        (type(code) is int and code != 0)
        or (isinstance(code, str) and code.strip().casefold() not in (*NOTHING, ""))
        for code in codes
    )


def _is_said(error: object) -> bool:
    if isinstance(error, str):
        said = error.strip()
        return bool(said) and said.casefold() not in NOTHING and not _MEASURE.fullmatch(said[:100])
    if isinstance(error, Mapping):
        counts = all(type(each) is int or type(each) is float for each in error.values())
        return not counts and not is_blank(error)
    return error is True or (isinstance(error, list) and bool(error))


def _lists_faults(held: Fields) -> bool:
    """What a validator found wrong with the request, each with its place."""
    found = held.get("detail")
    first = found[0] if isinstance(found, list) and found else None
    return isinstance(first, Mapping) and "msg" in first and not {"loc", "type"}.isdisjoint(first)


def _has_stack(held: Fields) -> bool:
    return any(_is_said(held.get(name)) for name in STACKS) and _has_words(held)


def _weigh_state(held: Fields) -> int:
    """An answer is an error; a thing has failed, and says so when it is looked up."""
    states = {
        str(held[name]).strip().casefold() for name in STATES if isinstance(held.get(name), str)
    }
    if not states.isdisjoint(_BAD_STATE):
        thing = "state" in held or not {"id", "name"}.isdisjoint(held)
        return 2 if _has_words(held) and not thing else 1
    return int(not states.isdisjoint(_FAILED_STATE))


def _weigh_code(held: Fields) -> int:
    """A code beside a message; what it is the code of, only the message can say."""
    code = held.get("code")
    said = next((held[name] for name in SAID if isinstance(held.get(name), str)), None)
    if not isinstance(said, str) or isinstance(code, bool) or not isinstance(code, int | str):
        return 0
    if isinstance(code, int) and 1 <= code <= 16 and isinstance(held.get("details"), list):
        return 2
    if _is_refusal(code) or (isinstance(code, int) and code < -1):
        return 1
    named = isinstance(code, str) and says_failure(re.sub(r"[_.-]", " ", code))
    well = str(code).casefold() in WELL or code in (0, "0")
    return int(not well and (named or says_failure(said)))


def _weigh_kind(held: Fields) -> int:
    """What it is called: an error, or the class of one beside a message."""
    kinds = [kind for name in KINDS if isinstance(kind := held.get(name), str)]
    if any(kind == "error" for kind in kinds):
        return 1
    said = next((held[name] for name in SAID if isinstance(held.get(name), str)), "")
    if not said:
        return 0
    if any(_ERROR_TYPE.fullmatch(kind[:200]) for kind in kinds):
        return 1
    return int(says_failure(str(said)) and any(_SHOUTED.fullmatch(kind[:200]) for kind in kinds))


def _weigh_exit(held: Fields) -> int:
    """How a program ended; `grep` and `diff` end with 1 to say no, and complain of nothing."""
    ended = next((code for name in ENDS if type(code := held.get(name)) is int and code), 0)
    silent = any(name in held and not held[name] for name in ("stderr", "error"))
    if not ended or (ended == 1 and silent):
        return 0
    return 2 if any(name in held for name in WRITTEN) else 1


def _speaks_against(held: Fields) -> bool:
    """Whether there is something that somebody may have asked for, or all went well."""
    if any(held.get(name) is True or isinstance(held.get(name), list) for name in SUCCESS):
        return True
    if any(str(held[name]).casefold() in WELL for name in STATES if name in held):
        return True
    return not REPORT.isdisjoint(held) or any(
        _is_data(name, value) for name, value in held.items() if name not in MARKS
    )


def _is_data(name: str, value: object) -> bool:
    if name in DATA:
        return not is_blank(value)
    if _is_count(name, value):
        return True
    if name in ABOUT or _ABOUT.search(name):
        return False
    if isinstance(value, list):
        return bool(value) and not isinstance(value[0], str)
    return isinstance(value, Mapping) and not is_blank(value)


def _is_count(name: str, value: object) -> bool:
    """A number under the name of what can be counted or measured."""
    number = type(value) is int or type(value) is float
    return number and _COUNTED.search(name) is not None and not _NO_COUNT.search(name)


def _has_payload(held: Fields) -> bool:
    """Whether anything is there but an error and what is said about an answer."""
    return not REPORT.isdisjoint(held) or any(
        name in DATA or not _is_about_answer(name, value)
        for name, value in held.items()
        if not is_blank(value)
    )


def _is_about_answer(name: str, value: object) -> bool:
    if name in MARKS or name in ABOUT or _ABOUT.search(name):
        return True
    return name in KINDS and isinstance(value, str) and _is_class_of_error(value)


def _is_class_of_error(kind: str) -> bool:
    return bool(_ERROR_TYPE.fullmatch(kind[:200]) or _SHOUTED.fullmatch(kind[:200]))
