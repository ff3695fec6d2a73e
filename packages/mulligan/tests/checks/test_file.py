"""Checks of replies from a file, what they ask for, and what a writer is told."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from mulligan.checks.feedback import (
    asks,
    fix_reply,
    render_feedback,
    render_requirements,
)
from mulligan.checks.file import KINDS, make_checks, preset, read_table
from mulligan.checks.registry import MODULES, register_reply_check
from mulligan.checks.text import avoids, length
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity, reach_verdict
from mulligan.types.reply import Reply, TextCheck

BAD = "Let's delve in. Our Digital Transformation costs $70 and has 500+ clients."


def named(checks) -> list[str]:
    return [check.name for check in checks]


def test_by_default_only_length_and_structure_are_on() -> None:
    assert named(preset()) == ["too_short", "too_long", "structure"]


def test_the_marketing_preset_has_all_eight_and_each_finds_its_own() -> None:
    checks = preset("marketing")
    long = Reply(text=f"{BAD} {'word ' * 500}", query="Prices?", context=("100+ clients",))
    short = Reply(text="No.", query="Prices?", context=("x",))

    found = {
        finding.rule for check in checks for reply in (long, short) for finding in check(reply)
    }

    assert len(checks) == 8
    assert found == {
        "text.too_short", "text.too_long", "text.no_follow_ups", "text.retired_term",
        "grounding.number", "grounding.price", "grounding.name", "text.unwanted_word",
        "text.no_call_to_action", "text.no_list", "text.long_paragraph",
    }  # fmt: skip


ASKED = "You might also want to know:\n- What?\n- When?\n"


@pytest.mark.parametrize("name", ["default", "marketing"])
@pytest.mark.parametrize(
    ("text", "rule", "flagged"),
    [
        ("a" * 20, "text.too_short", False),
        ("a" * 2_501, "text.too_long", True),
        ("a" * 501, "text.no_list", True),
        ("a" * 801, "text.long_paragraph", True),
    ],
)
def test_the_presets_have_the_thresholds_they_are_known_for(
    name: str, text: str, rule: str, flagged: bool
) -> None:
    found = {finding.rule for check in preset(name) for finding in check(Reply(text=text))}

    assert (rule in found) is flagged


@pytest.mark.parametrize(("text", "flagged"), [(ASKED, True), (f"{ASKED}- Who?", False)])
def test_the_marketing_preset_wants_three_questions(text: str, flagged: bool) -> None:
    found = {f.rule for check in preset("marketing") for f in check(Reply(text=text))}

    assert ("text.few_follow_ups" in found) is flagged


def test_a_greeting_needs_no_follow_ups() -> None:
    greeting = Reply(text="Hello!", query="hi")

    assert [f for check in preset("marketing") for f in check(greeting)] == []


def test_a_file_changes_a_preset_switches_off_and_adds(tmp_path: Path) -> None:
    file = tmp_path / "checks.toml"
    file.write_text(
        'preset = "marketing"\n'
        "[checks.too_long]\nat_most = 10\n"
        "[checks.follow_ups]\non = false\n"
        '[checks.no_jargon]\nkind = "avoids"\nwords = ["synergy"]\nseverity = "warning"\n'
    )

    checks = {check.name: check for check in make_checks(read_table(file))}

    assert "follow_ups" not in checks
    assert len(checks) == 8
    (jargon,) = checks["no_jargon"](Reply(text="Pure synergy."))
    assert jargon.severity is Severity.WARNING
    assert "at most 10" in checks["too_long"].asks


def what_it_needs(make) -> dict[str, object]:
    """Something for every setting without a default; some kinds need something special."""
    special = {
        "length": {"at_most": 5},
        "json_schema": {"schema": {"type": "object"}},
        "function": {"call": "mulligan.checks.text:is_small_talk"},
    }
    if make.__name__ in special:
        return special[make.__name__]
    takes = inspect.signature(make).parameters.values()
    needed = [each for each in takes if each.default is each.empty]
    values = {"str": "Bye.", "int": 5, "bool": True}
    return {each.name: values.get(each.annotation, ["a"]) for each in needed}


def test_every_kind_can_be_had_by_name() -> None:
    made = make_checks({"checks": {kind: what_it_needs(make) for kind, make in KINDS.items()}})

    assert named(made) == list(KINDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('preset = "sales"', "no preset 'sales'. There are: default, marketing"),
        ("attemps = 3", "no setting 'attemps'. There are: attempts, checks, fallback, fix, preset"),
        ('[checks.x]\nkind = "colour"', "of kind 'colour'. There are: avoids,"),
        ("[checks.structure]\nlists = 3", "no setting 'lists'. There are: list_above,"),
        ('[checks.structure]\nseverity = "fatal"', "one of: error, warning"),
        ('[checks.structure]\nunless = "rain"', "There are: small_talk"),
        ("[checks]\nstructure = 3", r"write it as \[checks.structure\]"),
        ("checks = 5", "checks is 5; write each as a table"),
        ('[checks.length]\nat_most = "long"', "at_most = 'long'; write a whole number from 0"),
        ("[checks.length]\nat_most = -5", "at_most = -5; write a whole number from 0"),
        ('[checks.avoids]\nwords = "delve"', "words = 'delve'; write a list of texts"),
        ('[checks.structure]\non = "no"', "on = 'no'; write true or false"),
        ("[checks.retired]\nterms = 3", "terms = 3; write a list of texts"),
        ("[checks.ends_with]\nphrase = 3", "phrase = 3; write a text in quotes"),
        ("[checks", "is not TOML"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_what_there_is(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "checks.toml"
    file.write_text(text)

    with pytest.raises(ConfigurationError, match=message):
        make_checks(read_table(file))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_table(tmp_path / "none.toml")


def test_a_check_may_leave_replies_of_some_languages_alone() -> None:
    asked = {"checks": {"avoids": {"words": ["super"], "unless": "language: de, fr"}}}

    (check,) = make_checks(asked)

    assert list(check(Reply(text="Das ist super, und die Boote sind neu."))) == []
    assert list(check(Reply(text="This is super, and the boats are new.")))
    with pytest.raises(ConfigurationError, match="language: xx"):
        make_checks({"checks": {"avoids": {"words": ["x"], "unless": "language: xx"}}})


def makers() -> set[str]:
    """Public functions of the modules that return a check."""
    modules = [import_module(name) for name in MODULES]
    return {
        name
        for module in modules
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if inspect.signature(made).return_annotation == "TextCheck" and not name.startswith("_")
    }


def test_every_check_of_replies_is_registered():
    assert makers() == set(KINDS)
    assert "avoids" in KINDS
    assert list(KINDS) == sorted(KINDS)


def test_a_name_that_is_taken_is_refused():
    def avoids() -> TextCheck:
        raise NotImplementedError

    with pytest.raises(ValueError, match=r"text has a check 'avoids' already"):
        register_reply_check(avoids)


@asks("Write in British English.")
def british(reply: Reply) -> Iterator[Finding]:
    if "color" in reply.text:
        yield Finding(rule="own.spelling", severity=Severity.ERROR, issue="American spelling.")


def silent(reply: Reply) -> Iterator[Finding]:
    yield from ()


def test_what_the_checks_ask_for_is_a_list_for_a_prompt() -> None:
    text = render_requirements([*preset("marketing"), british, silent])

    lines = text.splitlines()
    assert all(line.startswith("- ") for line in lines)
    assert len(lines) == 9
    assert "- Write at most 2500 characters." in lines
    assert "at least 3 questions" in text
    assert lines[-1] == "- Write in British English."


WRONG = Finding(
    rule="own.x", severity=Severity.ERROR, issue="It is wrong.", correction="Fix it.", quote="so"
)


def test_a_writer_is_told_what_where_and_how_and_what_is_asked_for() -> None:
    told = render_feedback(reach_verdict([WRONG]), [length(at_least=10)])

    for words in ("- It is wrong.", "Where: “so”", "Fix: Fix it.", "Write at least 10 characters"):
        assert words in told.text
    assert told.findings == (WRONG,)


def test_what_a_rule_can_put_right_is_put_right_and_a_broken_check_changes_nothing(caplog) -> None:
    def broken(text: str) -> str:
        raise ValueError

    cut = length(at_most=20, cut=True)
    long = Reply(text="One sentence. Two sentences. Three sentences.")
    breaks = avoids(words=["one"])

    assert len(fix_reply(long, [cut]).text) <= 20
    assert fix_reply(long, [type(breaks)(name="x", look=breaks.look, asks="", fix=broken)]) == long
    assert "failed (ValueError)" in caplog.text
