"""What a lesson may do by way of a suggestion, and beside each the call it must not make."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.learning.scope import asks_for_other, find_scope_changes, is_named
from mulligan.types.effect import Effect
from mulligan.types.lesson import Earlier, How, Prerequisite, Remedy, Transformation
from tests.learning.cases import changing, made
from tests.learning.failures import TEXT, WHOLE, failed, obj

NAMES = {"type": "array", "items": TEXT}
FOUND = Earlier(tool="find", arguments={"q": "Berlin"}, result={"code": "BER"})
SEVERAL = Earlier(tool="find", arguments={"q": "Berlin"}, result=[{"code": "BER"}, {"code": "SXF"}])
LOGGED_IN = Earlier(tool="find", result={"token": "new"})
SEEN = {"tool": "find", "in": "result", "key": "code", "at": 0}
LISTED = (
    "1 validation error for Call\nnames\n"
    "  Input should be a valid list [type=list_type, input_value='ann', input_type=str]"
)
UNKNOWN = "unexpected keyword argument 'day'"
NUMBER = {"type": "number"}
DEFAULTED = {**TEXT, "default": "m"}

WRAP = changing(made("names", How.LIST))
DROP = changing(made("day", How.DROP))
LAST = made("file", How.PART, sign="/", at=-1)
FIRST = changing(made("file", How.PART, sign="/", at=0))
ENTERING = Prerequisite(tool="cd", arguments=(made("folder", How.PART, of="file", sign="/", at=0),))
WHOLLY_ENTERING = Prerequisite(
    tool="cd", arguments=(made("folder", How.PART, of="file", sign="/", upto=-1),)
)
CHOOSING = Prerequisite(tool="choose", arguments=(made("date", How.FROM_ARGUMENT, of="day"),))
FILES = obj(file=TEXT, source=TEXT)
PREFIX = changing(made("order", How.PREFIX, text="ORD-"))
FILL = changing(made("unit", How.CONSTANT, value="m"))
CLAMP = changing(made("limit", How.FROM_ERROR, what="number", at=0))
PICK = changing(made("room", How.FROM_ERROR, what="quoted", at=-1))
LOOKED_UP = changing(made("city", How.FROM_TURN, **SEEN, asked="city"))
COPIED = changing(made("city", How.FROM_TURN, **SEEN))
LESS = changing(made("litres", How.FROM_TURN, **SEEN, less=True))
SCALE = changing(made("wait", How.SCALE, by=1_000))


def moving(to: str, of: str) -> Remedy:
    return changing(made(to, How.FROM_ARGUMENT, of=of), made(of, How.DROP))


@pytest.mark.parametrize(
    ("remedy", "arguments", "schema", "about"),
    [
        # A list of one is the same where a list is wanted.
        (WRAP, {"names": "ann"}, obj(names=NAMES), {}),
        (WRAP, {"names": "ann"}, obj(names={"anyOf": [NAMES, {"type": "null"}]}), {}),
        (WRAP, {"names": "ann"}, {}, {"error": LISTED}),
        # What asks for nothing, or for what the tool does anyway, may go where the error names it.
        (DROP, {"day": ""}, obj(query=TEXT), {"error": UNKNOWN}),
        (DROP, {"day": "m"}, obj(day=DEFAULTED), {"error": "day is refused"}),
        (DROP, {"day": None}, obj(day=TEXT), {"error": "day is no date"}),
        # A part stands for the whole where the rest is said elsewhere.
        (Remedy(changes=(LAST,), first=(ENTERING,)), {"file": "a/b.txt"}, FILES, {}),
        (FIRST, {"file": "a/b.txt", "source": "b.txt"}, FILES, {}),
        (Remedy(changes=(LAST,), first=(WHOLLY_ENTERING,)), {"file": "a/b/c.txt"}, FILES, {}),
        # What the tool does not take goes into a call before it.
        (
            Remedy(changes=DROP.changes, first=(CHOOSING,)),
            {"day": "friday"},
            {},
            {"error": UNKNOWN},
        ),
        # A sign that leaves a value what it is, or what is stated here and now.
        (changing(made("order", How.PREFIX, text="#")), {"order": "7"}, obj(order=TEXT), {}),
        (changing(made("channel", How.PREFIX, without="#")), {"channel": "#a"}, {}, {}),
        (PREFIX, {"order": "7"}, obj(order=TEXT), {"error": "an order begins with ORD-"}),
        (
            changing(made("zip_code", How.COERCE, to="string")),
            {"zip_code": 1},
            obj(zip_code=TEXT),
            {},
        ),
        # A value moves under its name.
        (moving("order_id", "id"), {"id": "7"}, obj(order_id=TEXT), {}),
        (moving("ids", "beta_ids"), {"beta_ids": ["a"]}, obj(ids=NAMES), {"effect": Effect.READ}),
        # Only what is missing is completed.
        (FILL, {}, obj(unit=DEFAULTED), {}),
        (FILL, {}, obj(unit=TEXT), {"error": "missing required parameter: unit"}),
        # A number becomes a stated bound, a word the one it nearly is.
        (CLAMP, {"limit": 50}, obj(limit=WHOLE), {"error": "limit must be at most 10"}),
        (PICK, {"room": "genral"}, obj(room=TEXT), {"error": "did you mean 'general'?"}),
        # What a lookup of this very value gave, what was missing, a figure of the agent's own.
        (LOOKED_UP, {"city": "Berlin"}, obj(city=TEXT), {"earlier": [FOUND]}),
        (COPIED, {"city": ""}, obj(city=TEXT), {"earlier": [FOUND]}),
        (LESS, {"litres": 50}, obj(litres=NUMBER), {"said": ["fill it up"]}),
        (
            changing(made("access_token", How.FROM_TURN, **{**SEEN, "key": "token"})),
            {"access_token": "old"},
            obj(access_token=TEXT),
            {"earlier": [LOGGED_IN]},
        ),
        # Another unit where one is spoken of.
        (SCALE, {"wait": 2}, obj(wait={**NUMBER, "description": "in milliseconds"}), {}),
    ],
)
def test_a_change_of_form_keeps_what_is_asked_for(remedy, arguments, schema, about) -> None:
    assert find_scope_changes(remedy, failed(arguments, schema=schema, **about)) == []


@pytest.mark.parametrize(
    ("remedy", "arguments", "schema", "about"),
    [
        # A list of nothing or of several, or where none is wanted.
        (WRAP, {"names": None}, obj(names=NAMES), {}),
        (WRAP, {"names": "ann"}, obj(names=TEXT), {}),
        (WRAP, {"names": "ann"}, {}, {"error": "names: refused"}),
        (WRAP, {"names": "ann, bob"}, obj(names=NAMES), {}),
        (WRAP, {"names": "ann\nbob"}, obj(names=NAMES), {}),
        (WRAP, {"names": "['ann']"}, obj(names=NAMES), {}),
        # An argument that was meant is not left out, also if the tool does not have it.
        (DROP, {"day": "m"}, obj(day=DEFAULTED), {"error": "refused"}),
        (DROP, {"day": "friday"}, obj(query=TEXT), {"error": UNKNOWN}),
        (DROP, {"day": True}, {}, {"error": UNKNOWN}),
        (DROP, {"day": False}, {}, {"error": UNKNOWN}),
        (DROP, {"day": "friday"}, obj(day=TEXT), {"error": "nothing found"}),
        (DROP, {"day": "friday"}, obj("day", day=TEXT), {"error": UNKNOWN}),
        (DROP, {"day": "friday"}, {}, {"error": "nothing found"}),
        (DROP, {"day": None}, obj(day=TEXT), {"error": "nothing found"}),
        (DROP, {"day": None}, obj("day", day=TEXT), {"error": "day is no date"}),
        # The rest of a value would be lost.
        (changing(LAST), {"file": "a/b.txt"}, FILES, {}),
        (FIRST, {"file": "a/b.txt", "source": "c.txt"}, FILES, {}),
        (Remedy(changes=(LAST,), first=(ENTERING,)), {"file": "a/b/c.txt"}, FILES, {}),
        (Remedy(changes=FIRST.changes, first=(ENTERING,)), {"file": "a/b.txt"}, FILES, {}),
        (
            Remedy(changes=DROP.changes, first=(CHOOSING,)),
            {"day": "friday"},
            obj(day=TEXT),
            {"error": UNKNOWN},
        ),
        (Remedy(changes=DROP.changes, first=(CHOOSING,)), {"day": "friday"}, {}, {"error": "no"}),
        # Letters that nobody states, and signs that lead elsewhere.
        (PREFIX, {"order": "7"}, obj(order=TEXT), {"error": "not found"}),
        (changing(made("path", How.PREFIX, text="../")), {"path": "plans"}, obj(path=TEXT), {}),
        # A name that means something else, or less; a copy of another value.
        (moving("ids", "ids_to_keep"), {"ids_to_keep": ["a"]}, obj(ids=NAMES), {}),
        (moving("ids", "except_ids"), {"except_ids": ["a"]}, obj(ids=NAMES), {}),
        (moving("ids", "parent_ids"), {"parent_ids": ["a"]}, obj(ids=NAMES), {}),
        (
            moving("ids", "beta_ids"),
            {"beta_ids": ["a"]},
            obj(ids=NAMES),
            {"effect": Effect.REVERSIBLE},
        ),
        (moving("order_id", "id"), {"id": "7", "order_id": "8"}, obj(order_id=TEXT), {}),
        (moving("order_id", "id"), {"id": "7"}, obj(order_id=TEXT, id=TEXT), {}),
        # What is there already, what nobody asks for, where and how much.
        (FILL, {"unit": "km"}, obj(unit=DEFAULTED), {"error": "unit is refused"}),
        (FILL, {}, obj(unit=TEXT), {"error": "refused"}),
        (
            changing(made("path", How.CONSTANT, value="/")),
            {},
            obj(path=TEXT),
            {"error": "missing required parameter: path"},
        ),
        (
            CLAMP,
            {"limit": 50},
            obj(limit=WHOLE),
            {"error": "limit must be at most 10", "said": ["give me 50 of them"]},
        ),
        (
            changing(made("amount", How.FROM_ERROR, what="number", at=0)),
            {"amount": 50},
            obj(amount=WHOLE),
            {"error": "amount: at most 10"},
        ),
        (PICK, {"room": "sales"}, obj(room=TEXT), {"error": "there are 'a' and 'general'"}),
        # One of several, another value of the turn, the person's own figure, no unit.
        (LOOKED_UP, {"city": "Berlin"}, obj(city=TEXT), {"earlier": [SEVERAL]}),
        (COPIED, {"city": "Paris"}, obj(city=TEXT), {"earlier": [FOUND]}),
        (LESS, {"litres": 50}, obj(litres=NUMBER), {"said": ["fill in 50 litres"]}),
        (SCALE, {"wait": 2}, obj(wait=NUMBER), {"error": "too small"}),
    ],
)
def test_what_makes_another_request_is_noticed(remedy, arguments, schema, about) -> None:
    assert find_scope_changes(remedy, failed(arguments, schema=schema, **about)) != []


@pytest.mark.parametrize("name", ["query", "sql_statement", "command", "code"])
@pytest.mark.parametrize(
    ("how", "given"),
    [
        (How.PART, {"sign": " ", "at": 0}),
        (How.CASE, {"case": "lower"}),
        (How.PREFIX, {"without": "'"}),
        (How.FORMAT, {"form": "plain"}),
    ],
)
def test_no_word_of_a_question_or_a_command_is_touched(name, how, given) -> None:
    call = failed({name: "sleep 5"}, schema=obj(**{name: TEXT}))

    assert find_scope_changes(changing(made(name, how, **given)), call) != []


@pytest.mark.parametrize(
    "sign",
    [
        made("delta", How.PREFIX, text="-"),
        made("delta", How.PREFIX, without="-"),
        made("delta", How.PREFIX, text="!"),
        made("delta", How.PREFIX, text="~"),
        made("delta", How.PREFIX, text="../"),
        made("delta", How.SUFFIX, text="*"),
        made("delta", How.SUFFIX, text="/../"),
        made("delta", How.PREFIX, text="not_"),
        made("delta", How.PREFIX, text="@"),
    ],
)
def test_a_sign_that_means_something_is_another_request(sign: Transformation) -> None:
    text = str(sign.given.get("text") or sign.given.get("without"))
    stated = f"no {text}77 here, {text} and so on"
    call = failed({"delta": "-77"}, schema=obj(delta=TEXT), error=stated)

    assert find_scope_changes(changing(sign), call) != []
    assert asks_for_other(changing(sign), stated=stated)


@pytest.mark.parametrize(
    ("remedy", "stated", "other"),
    [
        (changing(made("order", How.PREFIX, text="#")), "refused", False),
        (changing(made("order", How.PREFIX, text="ORD-")), "refused", False),
        (changing(made("name", How.PREFIX, text="@")), "a name starts with '@'", False),
        (changing(made("day", How.FORMAT, form="%Y-%m-%d")), "refused", False),
        (moving("ids", "id_list"), "refused", False),
        (moving("ids", "keep_ids"), "refused", True),
        (changing(made("dry_run", How.DROP)), "refused", True),
        (changing(made("query", How.PART, sign=" ", at=0)), "refused", True),
        (changing(made("price", How.SCALE, by=100)), "refused", True),
        (changing(made("price_cents", How.SCALE, by=100)), "refused", False),
        (changing(made("room", How.FROM_TURN, tool="find", holds="x")), "refused", True),
    ],
)
def test_what_asks_for_something_else_whatever_the_call_is_known_beforehand(remedy, stated, other):
    assert asks_for_other(remedy, stated=stated) is other


@pytest.mark.parametrize(
    ("error", "named"),
    [
        ("day is no date", True),
        ("'friday' is no date", True),
        ("today is no date", False),
        ("fridays are no dates", False),
    ],
)
def test_an_error_names_an_argument_by_its_name_or_by_its_value(error: str, named: bool) -> None:
    assert is_named(replace(failed({"day": "friday"}), error=error), "day") is named
