from __future__ import annotations

import uuid

import pytest

from mulligan.stores.watermarks import Watermark, WatermarkFile


def mark(commits: int = 1, *, writer: str | None = None) -> Watermark:
    return Watermark(writer=writer or uuid.uuid4().hex, commits=commits, seq=commits * 2)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "family.db.mark"


def test_each_writer_has_its_own_record(path) -> None:
    first, second = WatermarkFile(path), WatermarkFile(path)
    one, two = mark(), mark()

    for commits in range(1, 5):
        first.write(mark(commits, writer=one.writer))
        second.write(mark(commits * 10, writer=two.writer))
    first.close()
    second.close()

    found = WatermarkFile(path).read()
    assert found.found == {
        one.writer: mark(4, writer=one.writer),
        two.writer: mark(40, writer=two.writer),
    }
    assert found.torn == 0
    assert path.stat().st_size == 128
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_record_cut_short_counts_as_torn_and_the_next_one_is_put_behind_it(path) -> None:
    whole, cut = WatermarkFile(path), WatermarkFile(path)
    kept, lost, late = mark(), mark(), mark()
    whole.write(kept)
    cut.write(lost)
    path.write_bytes(path.read_bytes()[:100])

    later = WatermarkFile(path)
    later.write(late)

    found = later.read()
    assert set(found.found) == {kept.writer, late.writer}
    assert found.torn == 1
    for file in (whole, cut, later):
        file.close()


def test_a_reset_says_exactly_what_it_is_told(path) -> None:
    file, other = WatermarkFile(path), WatermarkFile(path)
    stays, goes, comes = mark(5), mark(), mark(7)
    file.write(stays)
    other.write(goes)

    file.reset([mark(3, writer=stays.writer), comes])

    assert file.read().found == {stays.writer: mark(3, writer=stays.writer), comes.writer: comes}
    assert file.read().torn == 0
    file.close()
    other.close()


def test_trouble_is_noted_and_not_raised(tmp_path) -> None:
    file = WatermarkFile(tmp_path / "nowhere" / "mark")

    file.write(mark())

    assert file.trouble is not None
    assert "nowhere" in file.trouble
