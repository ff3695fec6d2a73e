from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.display import PIECE, Prompt, Question, split_pieces


@given(st.lists(st.text(max_size=900), max_size=8).map(" ".join))
def test_nothing_of_a_text_is_lost_and_no_piece_is_too_long(text: str) -> None:
    pieces = split_pieces(text, name="page")

    assert "".join(pieces.values()) == text
    assert all(len(each.encode(errors="replace")) <= PIECE for each in pieces.values())
    assert list(pieces) == [f"page {n}" for n in range(1, len(pieces) + 1)]


def test_a_piece_ends_between_lines_where_it_can_and_else_between_words() -> None:
    lines, words = "x" * 1_000 + "\n" + "y y " * 400, "word " * 500

    assert split_pieces(lines, name="page")["page 1"] == "x" * 1_000 + "\n"
    assert split_pieces(words, name="page")["page 1"].endswith("word ")


def test_what_others_wrote_is_in_no_log_by_accident() -> None:
    asked = Question(
        prompt="p", values={"a": "s3cret"}, untrusted={"b": "s3cret"}, answer=str, purpose="test"
    )
    sent = Prompt(name="p", version=1, instructions="s3cret", message="s3cret")

    assert "s3cret" not in repr(asked) + repr(sent)
