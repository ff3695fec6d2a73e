"""Checks of replies: length, words, sections, structure."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.checks.text import (
    avoids,
    call_to_action,
    cut_text,
    ends_with,
    follow_ups,
    is_small_talk,
    length,
    list_items,
    mentions,
    retired,
    structure,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from mulligan.types.reply import Reply
from tests.checks.replies import findings, rules


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("", True),
        ("a" * 19, True),
        ("a" * 20, False),
        (f"{'a' * 10}          {'b' * 8}", True),  # a gap of any width is one character
        (f"{'a' * 10} {'b' * 9}", False),
        ("\u200b" * 40, True),  # nothing but characters of no width
        ("🙂" * 19, True),
        ("🙂" * 20, False),
        ("こちらは二十文字を超える長さの返事になります。", False),
        ("e\u0301" * 20, False),
        ("```\nprint('a long line')\n```", False),
    ],
)
def test_a_reply_that_says_too_little_is_flagged(text: str, *, flagged: bool) -> None:
    assert rules(length(at_least=20), text) == ["text.too_short"] * flagged


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("", False),
        ("a" * 2_500, False),
        ("a" * 2_501, True),
        ("word " * 500, False),  # 2,499 seen: the last gap shows nothing
        ("word " * 501, True),
        (f"{'a' * 1_249}{' ' * 500}{'b' * 1_250}", False),
        (f"{'a' * 1_250}{' ' * 500}{'b' * 1_250}", True),
        ("日" * 2_501, True),
        ("\u200b" * 5_000, False),
        ("a\u200b" * 2_501, True),
        ("```\n" + "x = 1\n" * 500 + "```", True),
        ("\u00a0".join(["ab"] * 833), False),
        ("\u00a0".join(["ab"] * 834), True),
    ],
)
def test_a_reply_longer_than_allowed_is_flagged_to_the_character(
    text: str, *, flagged: bool
) -> None:
    assert rules(length(at_most=2_500), text) == ["text.too_long"] * flagged


@pytest.mark.parametrize(
    ("unit", "text", "count"),
    [
        ("words", "It's a well-known thing.", 4),
        ("words", "see [the docs](https://example.com/a/b)", 3),
        ("sentences", "One. Two! Three? Four…", 4),
        ("sentences", "Dr. Lee costs approx. 3.5 euros, e.g. today. Yes.", 2),
        ("sentences", "One sentence\non two lines.\n\n- a point\n- another", 3),
        ("paragraphs", "One.\n\nTwo,\nstill two.\n\n- a\n- b\n\nThree.", 3),
    ],
)
def test_other_units_are_counted_as_a_reader_would(unit: str, text: str, count: int) -> None:
    assert rules(length(at_least=count, at_most=count, unit=unit), text) == []
    assert rules(length(at_least=count + 1, unit=unit), text) == ["text.too_short"]
    assert rules(length(at_most=count - 1, unit=unit), text) == ["text.too_long"]


def test_a_finding_says_how_long_it_is_and_how_much_to_drop() -> None:
    (finding,) = findings(length(at_most=10, severity=Severity.WARNING), "twelve chars")

    assert "12 characters" in finding.issue
    assert "by 2 characters" in (finding.correction or "")
    assert finding.severity is Severity.WARNING


def test_a_long_reply_is_cut_at_the_end_of_a_sentence_only_where_that_was_asked_for() -> None:
    cutting = length(at_most=30, cut=True)

    assert length(at_most=30).fix is None
    assert cutting.fix is not None
    fixed = cutting.fix("First sentence. Second one. And a third.")
    assert fixed == "First sentence. Second one."
    assert rules(cutting, fixed) == []


def test_whole_lines_are_kept_when_a_text_is_cut() -> None:
    assert cut_text("# Title\n\n- one\n- two\n- three", at_most=16) == "# Title\n\n- one"


@pytest.mark.parametrize("settings", [{}, {"cut": True, "at_least": 3}])
def test_a_length_without_a_limit_is_refused_with_an_example(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match=r"length\(at_most=2500"):
        length(**settings)


SMALL_TALK = """hi | Hello there! | HEY | thanks a lot | ok, great | Hi, how are you? | What’s up
Hallo | Guten Tag! | Guten Morgen zusammen | Vielen Dank | Danke schön | Wie geht es Ihnen? Hallo!
Tschüss | Auf Wiedersehen | Alles klar, danke | Moin
¡Hola! | Muchas gracias | Bonjour ! | Merci beaucoup | Grazie mille | Dank je wel | Olá | Привет
Γεια σας | 你好 | こんにちは | 안녕하세요 | مرحبا | שלום"""
NO_SMALL_TALK = """? | Hi, what does it cost? | thanks, and the price? | you | is it good
Hallo, was kostet das? | Danke, und der Preis? | Wie | Ist das gut
Hola, ¿cuánto cuesta? | Pour votre aide | 你好，多少钱？ | por tu"""


def test_only_the_answer_to_small_talk_may_be_short() -> None:
    check = replace(length(at_least=20), unless=is_small_talk)
    said, asked = (each.replace("\n", " | ").split(" | ") for each in (SMALL_TALK, NO_SMALL_TALK))
    greetings = [*said, " ".join(["hi"] * 8)]
    others = [*asked, "", " ".join(["hi"] * 9)]

    assert [each for each in greetings if rules(check, "Hello!", query=each)] == []
    assert [each for each in others if not rules(check, "Hello!", query=each)] == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: avoids(words="delve"),  # would forbid five letters
        lambda: avoids(words=[3]),
        lambda: mentions(words="boat"),
        lambda: avoids(words=["delve"], severity="fatal"),
        lambda: length(at_least=-1),
        lambda: length(at_most="5"),
        lambda: length(at_least=50, at_most=5),
        lambda: length(at_most=5, unit="pages"),
        lambda: follow_ups(at_least=1.5),
        lambda: retired(terms=3),
    ],
)
def test_a_setting_that_cannot_be_is_refused_where_it_stands(make) -> None:
    with pytest.raises(ConfigurationError, match=r"has |No length"):
        make()


UNWANTED = ("delve", "tapestry", "landscape of", "realm of", "testament to", "C++", "风景")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We go deep. An indelved delver of delvery", []),
        ("Let's delve into our options.", ["delve"]),
        ("DELVE!", ["delve"]),
        ("We delved; she delves; delving.", ["delve"]),
        ("de\u200blve", ["delve"]),  # with a space of no width inside
        ("**Del**ve", ["delve"]),
        ("delve's", ["delve"]),
        ("`delve()` is a function", []),
        ("```python\ndelve()\n```", []),
        ("    delve(into=code)", []),
        ("[our page](https://example.com/delve)", []),
        ("[let us delve](https://example.com)", ["delve"]),
        ("https://example.com/delve", []),
        ("| a | b |\n|---|---|\n| delve | 1 |", []),
        ("# Delve deeper", ["delve"]),
        ("the landscapes\nof tools", ["landscape of"]),
        ("a landscape often seen, a landscape, of course", []),
        ("a testament-to", ["testament to"]),
        ("It is written in C++.", ["C++"]),
        ("It is written in C.", []),
        ("这里的风景很美。", ["风景"]),
        ("delve &amp; realm of, and delve again", ["delve", "realm of"]),
    ],
)
def test_unwanted_words_are_found_whole_in_any_form_and_only_in_prose(
    text: str, words: list[str]
) -> None:
    found = findings(avoids(words=UNWANTED), text)

    assert [each.issue.split("'")[1] for each in found] == words


def test_a_sign_is_found_wherever_it_stands_and_inflections_can_be_switched_off() -> None:
    assert rules(avoids(words=[","]), "One, two") == ["text.unwanted_word"]
    assert rules(avoids(words=[","]), "One and `f(a, b)`") == []
    assert rules(avoids(words=["delve"], inflect=False), "She delves.") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("our Digital Transformation service", 1),
        ("digital-transformations", 1),
        ("digital\u00a0transformation", 1),
        ("digital\n  transformation's end", 1),
        ("[digital transformation](https://example.com)", 1),
        ("digital. Transformation", 0),
        ("digital and analogue transformation", 0),
        ("predigital transformation, digital transformational", 0),
        ("`digital transformation`", 0),
        ("Digital transformation and AI prompt optimization", 2),
        ("| service |\n|---|\n| digital transformation |", 0),
    ],
)
def test_retired_terms_are_found_however_they_are_written(text: str, count: int) -> None:
    check = retired(terms=("digital transformation", "AI prompt optimization"))

    assert rules(check, text) == ["text.retired_term"] * count


def test_a_retired_term_is_replaced_where_the_new_one_is_known() -> None:
    check = retired(terms={"Web Hosting": "Cloud Hosting", "fax": ""})

    (finding,) = findings(check, "Our web hosting is good.")

    assert finding.correction == "Say 'Cloud Hosting' instead."
    assert check.fix is not None
    assert check.fix("Our web hosting, by fax.") == "Our Cloud Hosting, by fax."
    assert retired(terms=["fax"]).fix is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("apple pear apple", []),
        ("apple pear", ["text.missing_word"]),
        ("apple apple apple pear apple", ["text.repeated_word"]),
        ("apples apple pears", []),
        ("", ["text.missing_word", "text.missing_word"]),
    ],
)
def test_words_that_must_be_said_are_counted(text: str, found: list[str]) -> None:
    check = mentions(words=["apple", "pear"], at_least=1, at_most=3)
    twice = mentions(words=["apple"], at_least=2, at_most=3)

    assert sorted({*rules(check, text), *rules(twice, text)}) == sorted(set(found))


NO_LIST = "text.no_list"
LONG = "text.long_paragraph"


def prose(n: int) -> str:
    return ("word " * n)[: n - 1] + "."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (prose(500), []),
        (prose(501), [NO_LIST]),
        (prose(801), [NO_LIST, LONG]),
        (f"{prose(801)}\n\n{prose(801)}", [NO_LIST, LONG, LONG]),
        (f"{prose(600)}\n\n- a\n- b", []),
        (f"{prose(600)}\n\n• a", []),
        (f"{prose(600)}\n\n<li>a</li></ul>", []),
        (f"{prose(600)}\n\n| a | b |\n|---|---|\n| 1 | 2 |", []),
        (f"{prose(600)}\n\n```\n- a\n```", [NO_LIST]),
        (f"{prose(600)}\n\n-not an item", [NO_LIST]),
        (f"{prose(600)}\n\n* * *", [NO_LIST]),
        (f"{prose(600)} 3 - 2 = 1", [NO_LIST]),
        (f"- {prose(801)}", []),
        (f"# {prose(801)}\n\n- a", []),
        (f"```\n{'x' * 900}\n```", []),
        (f"- a\n\n{prose(790)} [a](https://example.com/{'x' * 200})", []),
        (f"- a\n\n{'word   ' * 160}", []),  # 799 seen
        (f"- a\n\n{'文' * 801}", [LONG]),
        ("\n".join(["line of forty characters, all of it yes."] * 20), [NO_LIST, LONG]),
    ],
)
def test_long_prose_needs_a_list_and_no_paragraph_may_be_a_wall(
    text: str, found: list[str]
) -> None:
    assert rules(structure(), text) == found


def test_each_half_has_its_own_threshold_and_switch() -> None:
    assert rules(structure(list_above=100, longest_paragraph=None), prose(1_000)) == [NO_LIST]
    assert rules(structure(list_above=None, longest_paragraph=100), prose(101)) == [LONG]
    assert rules(structure(list_above=None, longest_paragraph=None), prose(5_000)) == []


def test_a_wall_is_broken_between_sentences_only_where_that_was_asked_for() -> None:
    splitting = structure(list_above=None, longest_paragraph=30, split=True)

    assert structure().fix is None
    assert splitting.fix is not None
    fixed = splitting.fix("First sentence here. Second sentence here. Third.")
    assert fixed == "First sentence here.\n\nSecond sentence here. Third."
    assert rules(splitting, fixed) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- a\n- b\n- c", []),
        ("- a\n- b", ["text.too_few_points"]),
        ("- a\n- b\n- c\n- d", ["text.too_many_points"]),
        ("- a\n  - b\n- c", []),
        ("```\n- a\n- b\n- c\n```", ["text.too_few_points"]),
    ],
)
def test_the_points_of_lists_are_counted(text: str, found: list[str]) -> None:
    assert rules(list_items(at_least=3, at_most=3), text) == found


NONE = ["text.no_follow_ups"]
FEW = ["text.few_follow_ups"]
Q = "- What?\n- When?\n- Who?"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We sell bicycles.", NONE),
        (f"**You might also want to know:**\n{Q}", []),
        (f"## You Might Also Want To Know\n\n{Q}\n\n## Imprint\n\nText", []),
        (f"You _might\u00a0also_\nwant to know:\n\n{Q}", []),
        ("You might also want to know: What? When? Who?", []),
        ("You might also want to know:\n1. What?!\n2. When??\n3. Who?", []),
        ("You might also want to know:\n- 何ですか？\n- いつですか？\n- 誰ですか？", []),
        ("You might also want to know:\n- ما هذا؟\n- متى؟\n- من؟", []),
        ("You might also want to know:\n- Τι;\n- Πότε;\n- Ποιος;".replace(";", "\u037e"), []),
        ("You might also want to know:\n- What?\n- When?", FEW),
        ("You might also want to know:\n- what?\n- What ?\n- When?", FEW),
        ("You might also want to know:\n- Prices\n- Dates\n- Names", FEW),
        (f"{Q}\n\nYou might also want to know:", FEW),
        (f"You might also want to know:\n\n## Other\n\n{Q}", FEW),
        (f"You might also want to know:\n```\n{Q}\n```", FEW),
        ("You might also want to know: https://x.io/?a=1 https://x.io/?b=2 www.x.io/?c=3", FEW),
        ("You might also want to know:\n- What `a?` `b?`\n- When?", FEW),
        (f"```\nYou might also want to know:\n{Q}\n```", NONE),
        (f"You might want to know, you mightalso want to know:\n{Q}", NONE),
        (f"You might also want to know this.\n\n# So\n\nYou might also want to know:\n{Q}", []),
    ],
)
def test_the_section_of_questions_is_found_wherever_it_stands(text: str, found: list[str]) -> None:
    assert rules(follow_ups(), text) == found


def test_headings_and_number_of_questions_are_settings() -> None:
    check = follow_ups(headings=["Weitere Fragen"], at_least=2)

    assert rules(check, "Weitere Fragen:\n- Was?\n- Wann?") == []
    assert rules(check, "Weitere Fragen:\n- Was?") == FEW
    assert "Weitere Fragen" in check.asks


MISSING = ["text.no_call_to_action"]
PRICES = """
It costs $500. | 500 € a month | EUR 500 | five for 20 pounds | Our pricing is fair. | A setup fee.
It costs $500. See https://example.com/contact | It costs $500. `contact()` | $5. Call now.
It costs $500. Our contactless card. | Our pricing is fair. What are your prices? | Is $500 fine?
"""
FINE = """
We build websites. | It is priceless. | We are costume makers. | `price = 500` | Coffee is free.
[plans](https://example.com/pricing) | It costs $500; we reached out. | $5. Scheduling is easy.
It costs $500. CONTACT us. | $5. Book a **consultation**. | $5. [Contact us](https://example.com).
What are your prices? | We build boats. Which budget do you have in mind? | **What does it cost?**
"""


def test_prices_without_a_next_step_are_flagged() -> None:
    priced, fine = (each.strip().replace("\n", " | ").split(" | ") for each in (PRICES, FINE))
    table = "| plan | price |\n|---|---|\n| A | $5 |"

    assert [t for t in [*priced, table] if rules(call_to_action(), t) != MISSING] == []
    assert [t for t in [*fine, "", "```\ncost $500\n```"] if rules(call_to_action(), t)] == []


def test_both_lists_are_settings() -> None:
    check = call_to_action(actions=["call now"], about=["tariff"])

    assert rules(check, "Our tariffs are low.") == MISSING
    assert rules(check, "Our tariffs are low. Call now!") == []
    assert rules(check, "Our pricing is fair.") == []


def test_another_ending_is_found_and_shown() -> None:
    [found] = ends_with(phrase="Kind regards")(Reply(text="Kind regards, and bye"))

    assert found.rule == "text.other_ending"
    assert found.correction == "End with exactly: Kind regards"
    assert found.quote == "ards, and bye"[-len("Kind regards") :]


def test_it_is_added_only_where_that_was_asked_for() -> None:
    fix = ends_with(phrase="Bye", add=True).fix

    assert fix is not None
    assert fix("Done. \n") == "Done.\n\nBye"
    assert ends_with(phrase="Bye").fix is None


def test_price_words_of_another_language_are_said_to_be_passed_over() -> None:
    ours, own = call_to_action(), call_to_action(about=["preis"])
    german = Reply(text="Der Preis ist gut und das Boot ist neu.")

    assert ours.skips is not None
    assert list(ours.skips(german)) == ["Words for prices were not looked at in German."]
    assert list(ours.skips(Reply(text="The price is good."))) == []
    assert own.skips is None
