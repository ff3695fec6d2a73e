from __future__ import annotations

from mulligan import Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.texts import is_beyond_chance, read_texts


def test_replies_and_drafts_are_counted(lived: Mulligan) -> None:
    view = read_texts(lived.insights, ViewRequest(filter=ViewFilter(window=Window.MONTH)))

    assert sum(point.n for point in view.trend) == view.replies > 40
    assert 0 < (view.reflected.figure or 0) < 0.6
    assert view.checks[0].rule.startswith("text.")
    assert view.drafts == 30
    assert sum(view.scores.values()) > 0


def test_only_a_change_beyond_chance_is_marked() -> None:
    often, seldom = (40, 40), (0, 40)

    assert is_beyond_chance(often, seldom)
    assert not is_beyond_chance((1, 1), (0, 2))
    assert not is_beyond_chance(often, (0, 0))


def test_thumbs_are_counted_and_the_newest_shown(m: Mulligan) -> None:
    for up in (True, True, False):
        m.rate("reply 1", up=up, note="" if up else "Too long.")
    m.flush()

    view = read_texts(m.insights, ViewRequest())

    assert (view.rated, round(view.rated_up.figure or 0, 2)) == (3, 0.67)
    assert (view.thumbs[0].note, view.thumbs[0].of) == ("Too long.", "reply 1")
