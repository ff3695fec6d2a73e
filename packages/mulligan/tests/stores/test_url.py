from __future__ import annotations

import pytest

from mulligan.stores.opening import strip_credentials


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:s3cret@host:5432/db",
        "postgresql://anna:s3c@ret@host/db",
        "postgresql://host/db?user=anna&password=s3cret",
    ],
)
def test_urls_are_shown_without_credentials(url: str) -> None:
    shown = strip_credentials(url)

    assert "s3c" not in shown
    assert "host" in shown
    assert "/db" in shown
