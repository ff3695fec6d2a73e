"""An application found by its name, and what a command has it do.

Only the process that has a tool's code can undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mulligan.app.mulligan import Mulligan
from mulligan.app.wiring import on_brief_loop
from mulligan.app.worker import UpkeepWorker
from mulligan.extensions import load_object
from mulligan.insights.insights import Insights
from mulligan.process.event_loop import run_on_own_loop
from mulligan.runtime.recovery import ActionInspector
from mulligan.settings import Settings
from mulligan.types.action import Action
from mulligan.types.errors import ConfigurationError


def load_application(name: str) -> Mulligan:
    """The `Mulligan` that `module:name` names, imported from the current folder or the path."""
    found = load_object(name, option="--app")
    if not isinstance(found, Mulligan):
        raise ConfigurationError(
            f"--app {name!r} is {type(found).__name__}, not a Mulligan. "
            "Name the object whose @m.tool declared the tools."
        )
    return found


@contextmanager
def open_insights(app: str, settings: Settings) -> Iterator[tuple[Insights, Mulligan | None]]:
    """The store as the application that is named sees it, or as it is where none is named."""
    if not app:
        with Insights.open(settings) as insights:
            yield insights, None
        return
    application = load_application(app)
    try:
        insights = application.insights
        named = settings.tenant
        yield (insights.keep_to(named) if named else insights), application
    finally:
        application.close()


def read_now(application: Mulligan, action: Action) -> object:
    """What is there now of what an action is about, as its tool reads it, less secrets."""
    with on_brief_loop():
        found = run_on_own_loop(build_inspector(application).read_now(action))
    store = application.insights.store
    return application.settings.build_redactor(store, to_decide=True).redact_value(found)


def build_inspector(application: Mulligan) -> ActionInspector:
    """What looks at actions with the functions of an application's tools."""
    parts = application._parts  # noqa: SLF001 - its own surface
    return ActionInspector(book=parts.recovery.book, toolbox=parts.toolbox)


def build_worker(application: Mulligan) -> UpkeepWorker:
    """An application as one that looks after what others leave."""
    return UpkeepWorker(application._parts)  # noqa: SLF001 - as above
