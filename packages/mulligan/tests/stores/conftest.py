"""What tests of several stores need."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

import pytest


@pytest.fixture
def many_files() -> Iterator[None]:
    """A process that has more files open than `select` can tell apart."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    held = [os.dup(0) for _ in range(1_100)]
    yield
    for each in held:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
