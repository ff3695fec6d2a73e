"""How the story looks in a terminal: short lines, indented, and foreign text harmless."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from mulligan.cli.terminal import render
from mulligan.core.call import LogRow


class Teller:
    """Tells what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapters = 0
        self.trouble: OSError | None = None
        """Why nobody hears the story any more: the reader went away, the disk is full."""

    def show_chapter(self, said: str, *, about: str) -> None:
        """A person asks for something."""
        self._chapters += 1
        self._print()
        self._print_line(f'{self._chapters}. "{said}"', style="bold")
        self._print_line(about, style="dim", indent=3)

    def show_call(self, tool: str, *arguments: str, came: str) -> None:
        """The agent calls a tool."""
        self._print_line(f"call     {tool}({', '.join(arguments)}): {came}", indent=3, hang=9)

    def show_finding(self, issue: str) -> None:
        """A check has noticed something."""
        self._print_line(f"finding  {issue}", style="yellow", indent=3, hang=9)

    def show_undo(self, what: str) -> None:
        """Something is taken back."""
        self._print_line(f"undo     {what}", style="yellow", indent=3, hang=9)

    def show_conflict(self, why: str) -> None:
        """Something is not taken back, because it is somebody else's now."""
        self._print_line(f"conflict {why}", style="yellow", indent=3, hang=9)

    def show_person(self, what: str) -> None:
        """A person does something in between."""
        self._print_line(f"person   {what}", style="magenta", indent=3, hang=9)

    def show_told(self, text: str) -> None:
        """What the agent reads, word for word."""
        self._print_line("the agent is told", indent=3)
        for line in text.splitlines():
            if line:
                self._print_line(f"| {line}", indent=5, hang=2)

    def show_reply(self, text: object, *, confidence: object) -> None:
        """What the person reads in the end."""
        first, *rest = str(text).splitlines()
        self._print_line(f"reply    {first}", style="green", indent=3, hang=9)
        for line in filter(None, rest):
            self._print_line(line, style="green", indent=12)
        self._print_line(f"         confidence: {confidence}", style="green", indent=3)

    def show_state(self, state: str, why: str) -> None:
        """A step of an action in the journal."""
        self._print_line(f"{state:16}{why}", indent=5, hang=16)

    def say(self, text: str, *, style: str = "") -> None:
        """Anything else."""
        self._print_line(text, style=style, indent=3)

    def show_heading(self, text: str) -> None:
        """Another part begins."""
        self._print()
        self._print_line(text, style="bold")

    def show_log(self, rows: Iterable[LogRow]) -> None:
        """Rows of the log, one line each."""
        for row in rows:
            what = f"{row.tool:21} {row.try_number}  {row.outcome:8} "
            room = max(self._console.width - len(what) - 3, 10)
            given = row.parameters
            shown = given if len(given) <= room else given[: room - 1] + "…"
            self._print_line(what + shown, indent=3)

    def _print_line(self, text: str, *, style: str = "", indent: int = 0, hang: int = 0) -> None:
        """One line; where it must be broken, the rest is indented a little more."""
        room = max(self._console.width - indent - hang, 20)
        whole = Text(render.escape_text(text), style=style)
        head, tail = whole[:hang], whole[hang:]
        for place, part in enumerate(tail.wrap(self._console, room)):
            part.rstrip()
            start = head if place == 0 else Text(" " * hang)
            self._print(Text.assemble(" " * indent, start, part))

    def _print(self, *line: Text) -> None:
        """Never raises: half of the story is told from inside tools, which must not fail for it."""
        if self.trouble is not None:
            return
        try:
            self._console.print(*line)
        except OSError as error:
            self.trouble = error
