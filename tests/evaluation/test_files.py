from __future__ import annotations

from pathlib import Path

from mulligan.evaluation.files import write_private


def test_a_file_is_its_owners_alone_also_where_it_was_there_before(tmp_path: Path) -> None:
    new, old = tmp_path / "new.html", tmp_path / "old.html"
    old.write_text("longer than what comes")
    old.chmod(0o644)

    for path in (new, old):
        write_private(path, "caf\u00e9")

    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o600, 0o600]
    assert [path.read_text(encoding="utf-8") for path in (new, old)] == ["caf\u00e9"] * 2
