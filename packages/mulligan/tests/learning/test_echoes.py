from __future__ import annotations

from mulligan.learning.result_evidence import Echoes


def test_a_text_is_known_again_in_another_case_and_cut_short() -> None:
    echoes = Echoes({"notes": [{"text": "Failed to reach Bob\n on Monday"}]})

    assert echoes.cover_text("failed to reach bob on monday")
    assert echoes.cover_text("Failed to reach Bob …")
    assert not echoes.cover_text("Failed")
    assert not echoes.cover_text("Failed to reach Ann on Monday")
    assert not echoes.cover_text("")


def test_numbers_go_by_their_value_and_flags_by_their_name_too() -> None:
    echoes = Echoes({"status": 404, "isOpen": False})

    assert echoes.cover("code", 404)
    assert not echoes.cover("code", 405)
    assert echoes.cover("isopen", False)
    assert not echoes.cover("ok", False)
