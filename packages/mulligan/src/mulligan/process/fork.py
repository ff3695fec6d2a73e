"""What happens around a fork, on systems that have one; elsewhere there is nothing to see to."""

from __future__ import annotations

import os
from collections.abc import Callable


def call_on_fork(
    *,
    before: Callable[[], object] | None = None,
    after_in_parent: Callable[[], object] | None = None,
    after_in_child: Callable[[], object] | None = None,
) -> None:
    """From now on, call these at every fork of this process."""
    hooks = {
        "before": before,
        "after_in_parent": after_in_parent,
        "after_in_child": after_in_child,
    }
    register = getattr(os, "register_at_fork", None)
    if register is not None:
        register(**{name: hook for name, hook in hooks.items() if hook is not None})
