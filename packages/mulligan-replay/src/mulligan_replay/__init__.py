"""What Mulligan would have caught in runs that were recorded."""

from __future__ import annotations

from mulligan_replay.replay import Replayed, read_task_runs, replay
from mulligan_replay.trace import TracedCall, TracedTool, TracedTurn

__all__ = ["Replayed", "TracedCall", "TracedTool", "TracedTurn", "read_task_runs", "replay"]
