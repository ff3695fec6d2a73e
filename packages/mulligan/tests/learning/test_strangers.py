from __future__ import annotations

from mulligan.learning.error_details import ask


class Stranger:
    status = 404

    @property
    def body(self) -> str:
        raise KeyboardInterrupt


def test_a_stranger_is_asked_politely_and_may_refuse_in_any_way() -> None:
    assert ask(Stranger(), "status") == 404
    assert ask(Stranger(), "missing") is None
    assert ask(Stranger(), "body") is None
