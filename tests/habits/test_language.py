"""The words of a language stand in its folder: a check that has some of its own knows one alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from mulligan_dates.lexicon import list_months, list_weekdays, load_common_words, load_words

RULE = "words_outside"
LOOKED_AT = (
    "packages/mulligan/src/mulligan/checks",
    "packages/mulligan-dates/src/mulligan_dates",
    "packages/mulligan-packs/src/mulligan_packs/calendar",
)
ROOM = tuple(
    f"packages/mulligan-dates/src/mulligan_dates/{name}.py"
    for name in ("english", "german", "tables", "lexicon", "languages")
)
WORDS = frozenset(
    word
    for listed in (
        load_common_words()["en"],
        load_common_words()["de"],
        load_words("words", "empty"),
        list_months(),
        list_weekdays(),
    )
    for word in listed
    if len(word) > 1
)
"""What every sentence is made of, and what every date is: the sign that a language is read here."""

_OF_PATTERNS = re.compile(r"\\[a-zA-Z]|\(\?P[<=]\w+[>)]|\(\?[a-zA-Z]*[:)=!<]|\[[^\]]*\]")
_WORD = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"\\[bsw]|\(\?|\|")
"""What only a part of a pattern has in it."""
_LISTED = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?")


def list_words_outside(tree: ast.Module) -> Iterator[str]:
    """Words of a language in patterns, and in lists that something is compared with."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                yield from _list_in_patterns(pattern)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if node in tree.body:
                    yield from _list_in_patterns(value, only=_PIECE)
            case ast.Set() | ast.List() | ast.Tuple():
                yield from _list_listed(node.elts)
            case ast.Dict():
                yield from _list_listed([key for key in node.keys if key is not None])
            case ast.Compare(comparators=compared):
                yield from _list_listed(compared)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
                yield from WORDS.intersection(text.split())


def _list_in_patterns(pattern: ast.expr, *, only: re.Pattern[str] = _WORD) -> Iterator[str]:
    for text in _list_texts(pattern):
        if only.search(text):
            yield from WORDS.intersection(_WORD.findall(_OF_PATTERNS.sub(" ", text).lower()))


def _list_texts(written: ast.AST) -> Iterator[str]:
    """The strings that an expression is put together from; what a function is given is none."""
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        yield written.value
    for inner in () if isinstance(written, ast.Call) else ast.iter_child_nodes(written):
        yield from _list_texts(inner)


def _list_listed(elements: list[ast.expr]) -> Iterator[str]:
    for each in elements:
        text = each.value if isinstance(each, ast.Constant) else None
        if isinstance(text, str) and _LISTED.fullmatch(text):
            yield from WORDS.intersection(text.lower().split())


def test_words_of_a_language_stand_in_its_folder(repo, only_exceptions):
    found = {
        path: ", ".join(sorted(words))
        for path, tree in repo.trees(*LOOKED_AT).items()
        if not path.startswith(ROOM) and (words := set(list_words_outside(tree)))
    }

    only_exceptions(RULE, found)


@pytest.mark.parametrize(
    "source",
    [
        'import re\nP = re.compile(r"\\b(twice|not)\\b")',
        'import re\n_A = r"(?:the|an)\\s+"\nP = re.compile(_A)',
        'import re\ndef f(t):\n    return re.search(rf"{t}\\s+with", t)',
        'KNOWN = frozenset({"please", "book"})',
        'def f(w):\n    return w in ("more than", "above")',
        'def f(w):\n    return w == "not"',
        'KNOWN = {"monday": 0}',
        'KNOWN = "der die das".split()',
    ],
)
def test_a_check_with_words_of_its_own_would_be_seen(source: str) -> None:
    assert set(list_words_outside(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        'import re\nP = re.compile(r"\\b(?P<the>\\d+)[a-z]*\\s")',
        'def f():\n    """Not for the faint of heart."""\n    return "This is not what you said."',
        'KINDS = ("asks for what it may not", "weekday")',
    ],
)
def test_what_is_told_to_people_is_none_of_them(source: str) -> None:
    assert not set(list_words_outside(ast.parse(source)))
