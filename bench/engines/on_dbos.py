"""The story on DBOS, with its database in a file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from dbos import DBOS, SetWorkflowID

from bench.engines.story import MESSAGE, open_story, plan


def live(folder: Path, name: str) -> dict[str, Any]:
    """One process: it begins the workflow, or goes on with it, and waits for its end."""
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    story = open_story(folder)
    DBOS(
        config={
            "name": "story",
            "system_database_url": f"sqlite:///{folder}/dbos.db",
            "application_version": "1",
            "log_level": "CRITICAL",
            "notification_listener_polling_interval_sec": 0.02,
        }
    )
    workflow: Any = story.m.for_dbos().make_workflow(plan, tools=story.tools, name="plan")
    DBOS.launch()
    with SetWorkflowID(name):
        handle = DBOS.start_workflow(workflow, MESSAGE)
    answer = dict(handle.get_result())
    DBOS.destroy()
    story.m.close()
    return answer
