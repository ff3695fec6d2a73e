"""A release is of one version: that of its tag."""

from __future__ import annotations

import pytest

from bench.hosts.release import check_versions
from bench.missing import MissingError
from mulligan.version import VERSION
from tests.bench.running import ROOT


def test_a_tag_of_another_version_releases_nothing() -> None:
    check_versions(f"v{VERSION}")
    with pytest.raises(MissingError, match=r"the tag v9\.9 says 9\.9: make them one"):
        check_versions("v9.9")

    flow = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert "make release-check\n        env:\n          TAG: ${{ github.ref_name }}\n" in flow
