"""What is known of a failed call's effect goes with its error."""

from __future__ import annotations

from mulligan.types.effect import EffectNote, note_effect, read_effect_note


class Sealed(Exception):
    """An error that takes no notes, and answers nothing."""

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError("sealed")

    def __getattr__(self, name: str) -> object:
        raise TypeError("sealed")


def test_an_error_that_takes_no_notes_says_nothing() -> None:
    error = Sealed()

    note_effect(error, EffectNote.NOTHING_DONE)

    assert read_effect_note(error) is None
    assert read_effect_note(None) is None


def test_what_an_error_calls_so_itself_is_no_note() -> None:
    error = ValueError("no")
    error.mulligan_effect = "nothing_done"  # type: ignore[attr-defined]

    assert read_effect_note(error) is None
