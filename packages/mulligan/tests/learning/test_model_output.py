"""Which calls a model's text makes, however it is written, and which it only talks about."""

from __future__ import annotations

import pytest

from mulligan.learning.conform import Meant, read_meant, suggest_tool
from mulligan.learning.model_output import WrittenCall, read_calls
from mulligan.learning.parsing import match_tool
from mulligan.learning.schema import read_schema
from mulligan.types.lesson import Kind
from tests.learning.failures import TEXT, WHOLE, obj

CALL = {"name": "find", "arguments": {"id": "7"}}
SCHEMAS = {
    "weather.get": read_schema(obj("city", city=TEXT, days=WHOLE)),
    "mail.send": read_schema(obj("to", "text", to=TEXT, text=TEXT)),
}


def names(written: object, *tools: str) -> list[str]:
    return [call.name for call in read_calls(written, tools=tools)]


@pytest.mark.parametrize(
    "written",
    [
        'weather.get(city="Oslo", days=3)',
        "[weather.get(city='Oslo', days=3)]",
        "```python\n[weather.get(city='Oslo', days=3)]\n```\nThis asks for three days.",
        "Sure! Here is the call:\n\nweather.get(city='Oslo', days=3)\n\nHope that helps.",
        '[{"name": "weather.get", "arguments": {"city": "Oslo", "days": 3}}]',
        '{"tool_calls": [{"name": "weather_get", "parameters": {"city": "Oslo", "days": 3}}]}',
        '{"function": {"name": "weather.get", "arguments": "{\'city\': \'Oslo\', \'days\': 3}"}}',
        "<call>\n{'arguments': {'city': 'Oslo', 'days': 3}, 'name': 'weather.get'}</call>",
        '<|im_start|>\n{"arguments": {"city": "Oslo", "days": 3}, "name": "weather.get"}<|im_end|>',
        'weather_get\n{"city": "Oslo", "days": 3}',
        "['weather.get(city=\"Oslo\", days=3)']",
        "[('weather.get', {'city': 'Oslo', 'days': 3})]",
        "weather.get({'city': 'Oslo', 'days': 3})",
        "print(default_api.weather_get(city='Oslo', days=3))",
        "weather.get(city=Oslo, days=3)",
        '"weather.get(city=\\"Oslo\\", days=3)\\n\\nand then it breaks o',
        [{"weather_get": '{"city": "Oslo", "days": 3}'}],
        ["```tool\nweather.get(city='Oslo', days=3)\n```"],
    ],
)
def test_a_call_is_found_however_it_was_written(written: object) -> None:
    [call] = read_calls(written, tools=("weather.get", "send_mail"))

    assert (call.arguments, call.values, call.doubts) == ({"city": "Oslo", "days": 3}, (), ())
    assert call.name.replace("_", ".").endswith("weather.get")


@pytest.mark.parametrize(
    "written",
    [
        '<invoke name="find"><parameter name="id">7</parameter></invoke>',
        "<invoke><tool_name>find</tool_name><parameters><id>7</id></parameters></invoke>",
        "<function=find>\n<parameter=id>\n7\n</parameter>\n</function>",
        "<tool_call>find\n<arg_key>id</arg_key>\n<arg_value>7</arg_value>\n</tool_call>",
        '<function=find>{"id": "7"}</function>',
        '[TOOL_CALLS]find[ARGS]{"id": "7"}',
        '<|tool_call_begin|>find:0<|tool_call_argument_begin|>{"id": "7"}<|tool_call_end|>',
        '<\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>find\n{"id": "7"}',
        '<|channel|>commentary to=find <|constrain|>json<|message|>{"id": "7"}<|call|>',
        '>>>find\n{"id": "7"}',
        ["find", {"id": "7"}],
        {"find": "{'id': '7',}"},
        {"tool_calls": [{"id": "1", "type": "function", "function": CALL}], "role": "assistant"},
        {"type": "tool_use", "id": "t", "name": "find", "input": {"id": "7"}},
        {"recipient_name": "find", "parameters": {"id": "7"}},
        {"answer": [CALL]},
    ],
)
def test_a_call_is_found_in_the_markup_and_the_structures_of_model_families(written) -> None:
    assert read_calls(written, tools=("find",)) == [WrittenCall("find", {"id": "7"})]


@pytest.mark.parametrize(
    "written",
    [
        "",
        None,
        17,
        "x" * 200_000,
        "I would call find for that, but which city?",
        "def find(city, days): ...",
        'find(to="bob", text="Hello wor',
        '<invoke name="find"><parameter name="id">7',
        '<invoke name="find"><parameter name="id">7</invoke>',
        {"example": CALL},
        {"rejected": [CALL]},
        {"history": [CALL], "text": "nothing to do"},
        {"name": "find", "parameters": {"type": "object", "properties": {"id": {}}}},
        'find(text="first line\ndrop(id=1)\nand it breaks off',
        '{"name": "find", "arguments": {"text": "first line\ndrop(id=1)\nand it',
    ],
)
def test_where_there_is_no_whole_call_none_is_found(written: object) -> None:
    assert names(written, "find", "drop") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I look it up: ", ""),
        ("I do not know it yet, so I call ", "."),
        ("I won't guess. Now I call `", "` and tell you."),
        ("The plan:\n1. ", "\n"),
        ("x = ", "  # not twice"),
        ("I should not delete anything.\n<tool_call>", "</tool_call>"),
        ("Order #5: ", ""),
    ],
)
def test_a_call_that_stands_by_itself_or_is_announced_is_made(before: str, after: str) -> None:
    assert names(f"{before}find(id=1){after}", "find") == ["find"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I will not call ", "."),
        ("I never run ", " without asking."),
        ("Do not run the following:\n```python\n", "\n```"),
        ("Do not run this.\n", ""),
        ("For example:\n", ""),
        ("If you confirm, I call ", "."),
        ("You asked me to run ", ", which I will not."),
        ("I call ", ", not now."),
        ("The mail says: ", ""),
        ("Should I run ", "?"),
        ("", " would remove it."),
        ("", " must not be called."),
        ("Instead of ", ""),
        ("The tool ", ""),
        ("Ich rufe ", " nicht auf."),
        ("I could call ", "."),
        ("# ", ""),
        ("// ", ""),
        ("<!-- ", ""),
        ("> ", ""),
        ('He wrote "please run ', '".'),
        ("for each in all:\n    ", ""),
        ("def clean():\n    ", ""),
    ],
)
def test_a_call_that_is_refused_quoted_asked_or_supposed_is_not_made(before, after) -> None:
    assert names(f"{before}find(id=1){after}", "find") == []


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("<think>drop(1)</think> look(2)", ["look"]),
        ("a <Thinking>drop(1)</Thinking> b <think>drop(2)</think> c", []),
        ("drop(1), said the prompt's own thought.</think> look(2)", ["look"]),
        ("look(2) <think>drop(1), and it breaks off", ["look"]),
        ("<|channel|>analysis<|message|>drop(1)<|end|>look(2)", ["look"]),
        ("look(2)\nObservation: none\ndrop(1)", ["look"]),
        ("look(2)\n<tool_response>{}</tool_response>\ndrop(1)", ["look"]),
        ("look(2)\n### Instruction:\ndrop(1)", ["look"]),
    ],
)
def test_thoughts_and_what_follows_an_invented_result_make_no_call(written, made) -> None:
    assert names(written, "look", "drop") == made


@pytest.mark.parametrize(
    "written",
    [
        "Action: find\nAction Input: {'id': 1}\nAction: find\nAction Input: {'id': 2}",
        "```tool_call\nfind(id=1)\n```\n```tool_call\nfind(id=2)\n```",
        "First:\n```json\n{'name': 'find', 'arguments': {'id': 1}}\n```\nThen:\nfind(id=2)",
        "I call find(id=1), then find(id=2).",
        "[find(id=1),\n find(id=2)] Or rather: find(id=3)",
        "```python\nprint(api.find(id=1))\n# and the next\nsecond = find(id=2)\n```",
        "I call find(id=1) and find(id=2), not drop(id=3).",
        "Never run this:\ndrop(id=1)\ndrop(id=2)\nI look:\nfind(id=1)\nfind(id=2)",
    ],
)
def test_all_calls_that_are_made_are_read_in_their_order(written: str) -> None:
    assert [call.arguments for call in read_calls(written, tools=("find", "drop"))] == [
        {"id": 1},
        {"id": 2},
    ]


@pytest.mark.parametrize(
    ("written", "doubts"),
    [
        ("Action: find\nAction Input: W1", ()),
        ("Action: find\nAction Input: W1, 5", ("'W1, 5' may be one value or several",)),
        ("order = 'W1'\nfind(id=order)", ("'order' names a variable, not a value",)),
        ("find(id=1).preview()", ("'.preview(' follows it, and is not parsed",)),
        ("find(ids=[f'{a}'])", ("\"f'{a}'\" is an expression, not a value",)),
        ({**CALL, "dry_run": True}, ("dry_run=True stands beside its arguments",)),
        ({**CALL, "id": "c1", "thought": "look first"}, ()),
    ],
)
def test_what_may_not_be_the_value_that_was_meant_is_a_doubt(written, doubts) -> None:
    [call] = read_calls(written, tools=("find",))

    assert call.doubts == doubts


def test_a_bare_value_may_hold_commas_up_to_the_next_argument() -> None:
    calls = read_calls("find(city=Boston, MA, days=3)", tools=("find",))

    assert calls == [WrittenCall("find", {"city": "Boston, MA", "days": 3})]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('weather.get(city="Oslo", days=3)', Meant("weather.get", {"city": "Oslo", "days": 3})),
        (
            "Weather_Get(City='Oslo', days='3')",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.RENAME, Kind.COERCE)),
        ),
        (
            "tools.weather_get('Oslo', 3)",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.TOOL,)),
        ),
        (
            "weather.get(params={'city': 'Oslo'})",
            Meant("weather.get", {"city": "Oslo"}, (Kind.REFORMAT,)),
        ),
        ("mail.send('bob', '4711')", Meant("mail.send", {"to": "bob", "text": "4711"})),
        (
            [{"mail_send": {"to": "ann", "text": "12"}}],
            Meant("mail.send", {"to": "ann", "text": "12"}),
        ),
        (
            "The `mail.send()` function is no use.\nweather.get(city='Oslo')",
            Meant("weather.get", {"city": "Oslo"}),
        ),
    ],
)
def test_a_call_is_resolved_and_brought_into_shape(written: object, meant: Meant) -> None:
    assert read_meant(written, SCHEMAS) == [meant]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("mail.send('bob', 'hi', 'urgent')", "'urgent' does not belong to any argument"),
        ("mail.send('bob', to='ann', text='hi')", "to is given twice, once by position"),
        ("mail.send(to='bob', text='hi', draft=True)", "draft=True is not an argument of it"),
        ("mail.send(to='bob', text='a' + 'b')", "\"'a' + 'b'\" is an expression, not a value"),
        ("weather.get(days=3)", '"city" is a required property'),
        ("pay(amount='1.000')", "amount: '1.000' can be read as two numbers"),
        ("pay(amount=5000)", ""),
        ("pay(amount=5, account='a1')", "account='a1' is not an argument of it"),
        ("pay(amount=5, speed='not fast')", ""),
    ],
)
def test_a_call_is_not_changed_to_make_it_fit_and_its_problem_is_named(written, problem) -> None:
    amount = {"type": "number", "maximum": 1000}
    pay = read_schema(obj("amount", amount=amount, speed={"enum": ["fast", "slow"]}))

    [call] = read_meant(written, {**SCHEMAS, "pay": pay})

    assert not call.fits
    assert call.kinds == ()
    assert any(problem in each for each in call.problems)
    assert ("draft" in written) == ("draft" in call.arguments)


def test_a_call_of_no_tool_is_kept_beside_the_others_and_does_not_fit() -> None:
    found = read_meant("[weather.get(city='Oslo'), moon.phase(day=3)]", SCHEMAS)

    assert [(call.tool, call.fits) for call in found] == [
        ("weather.get", True),
        ("moon.phase", False),
    ]
    assert read_meant("x = weather.get(city='Oslo')\nprint(x)", SCHEMAS) == found[:1]
    assert read_meant("print('hello')", SCHEMAS) == []


def test_a_text_that_repeats_itself_means_one_call_and_a_list_means_them_all() -> None:
    call = {"name": "weather.get", "arguments": {"city": "Oslo"}}

    assert len(read_meant(f"<call>{call}</call>\n<call>{call}</call>", SCHEMAS)) == 1
    assert len(read_meant([call, call], SCHEMAS)) == 2


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("find_order", "find_order"),
        ("findOrder", "find_order"),
        ("Find-Order", "find_order"),
        ("weather_get", "weather.get"),
        ("archive_user_", "archive_user"),
        ("functions.find_order", "find_order"),
        ("undo_find_order", None),
        ("find_order_later", None),
        ("staging.find_order", None),
        ("staging/find_order", None),
        ("find_orders", None),
        ("order", None),
        ("", None),
    ],
)
def test_a_name_is_a_tool_in_another_spelling_and_never_with_a_word_more(name, tool) -> None:
    assert match_tool(name, ("find_order", "weather.get", "archive_user", "archive_users")) == tool


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("functions.weather_get", "weather.get"),
        ("wether.get", "weather.get"),
        ("get", "weather.get"),
        ("undo_weather_get", None),
        ("post", None),
        ("", None),
    ],
)
def test_after_a_failure_a_typo_in_a_name_is_suggested_and_a_word_more_is_not(name, tool) -> None:
    assert suggest_tool(name, tuple(SCHEMAS)) == tool
    assert not any(call.fits for call in read_meant(f"{name}(city=1)", SCHEMAS) if not tool)
