"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from mulligan.cli.commands import ADDERS, VIEWS, AddTo, find_line, render_examples
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.settings import Settings

Commands = Any
"""What `add_subparsers` returns; argparse gives it no public type."""
Argument = Callable[[argparse.ArgumentParser], object]
"""Adds an argument, or several that belong together."""
Run = Callable[[argparse.Namespace, "Settings"], int]
"""Carries a command out; the answer is its exit code."""

_VERBS: dict[str, list[AddTo]] = {}

MOST_ROWS = 1_000_000
WHOLE = 32
"""Characters of a whole id."""
LATELY = 1_000
"""How many of the newest are looked through for the beginning of an id."""

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, like all of ours."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant, and where help is."""
        _, _, rest = message.partition(": invalid choice: '")
        wrong, found, choices = rest.rpartition("' (choose from ")
        if found:
            known = [each.strip(" ')") for each in choices.split(",")]
            views = [f"view {each}" for each in VIEWS] if "view" in known else []
            hint = suggest_name(wrong, known, also=views)
            message = f"{wrong!r} is none of {', '.join(known)}.{hint}"
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def suggest_name(name: str, known: Iterable[str], *, also: Iterable[str] = ()) -> str:
    """A sentence with the known name that is most like one; empty where none is.

    `also`: names of several words, known by the last.
    """
    named = {each.rpartition(" ")[2]: each for each in (*also, *known)}
    like = get_close_matches(name, named, n=1)
    return f" Did you mean {named[like[0]]!r}?" if like else ""


def command(
    name: str, *arguments: Argument, about: str, line: str = "", examples: Sequence[str] = ()
) -> Callable[[Run], Run]:
    """Make a function a command.

    `line` is its one line of help, and `examples` stand below it; those of ours are in `commands`.
    """

    def add(run: Run, commands: Commands) -> None:
        says = line or find_line(name)
        parser = _add_parser(commands, name, says=says, about=about, arguments=arguments)
        parser.epilog = render_examples(examples) if examples else None
        parser.set_defaults(run=run)

    def register(run: Run) -> Run:
        ADDERS[name] = partial(add, run)
        return run

    return register


def verb(
    group: str, name: str, *arguments: Argument, says: str, whole: bool = False
) -> Callable[[Run], Run]:
    """Make a function a command of a group, which reads a store and may answer in JSON."""

    def register(run: Run) -> Run:
        _VERBS.setdefault(group, []).append(
            lambda verbs: _add_parser(
                verbs,
                name,
                says=says,
                about=f"{says[0].upper()}{says[1:]}.",
                arguments=(add_whole_store if whole else add_store, add_json, *arguments),
            ).set_defaults(run=run, verb=name)
        )
        return run

    return register


def define_group(name: str, *, about: str) -> None:
    """Make a command of all the verbs that its module has."""

    def add(commands: Commands) -> None:
        parser = _add_parser(commands, name, says=find_line(name), about=about, arguments=())
        verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
        for add_to in _VERBS[name]:
            add_to(verbs)

    ADDERS[name] = add


def _add_parser(
    commands: Commands, name: str, *, says: str, about: str, arguments: Sequence[Argument]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=says, description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for add_to in arguments:
        add_to(parser)
    return parser


def option(*names: str, **about: Any) -> Argument:
    """An argument, as `add_argument` takes it."""
    if choices := about.get("choices"):
        about["choices"] = [str(each) for each in choices]  # of an enumeration by their values
    return lambda parser: parser.add_argument(*names, **about)


def app_option(says: str) -> Argument:
    """`--app MODULE:NAME`, and what importing it means."""
    about = f"{says}; its module is imported, so keep what starts the agent under `if __name__ == "
    return option("--app", metavar="MODULE:NAME", help=f'{about}"__main__":`')


def one_of(*options: Argument, required: bool = False) -> Argument:
    """Mutually exclusive options."""

    def add(parser: argparse.ArgumentParser) -> None:
        group: Any = parser.add_mutually_exclusive_group(required=required)
        for add_to in options:
            add_to(group)

    return add


def add_whole_store(parser: argparse.ArgumentParser) -> None:
    """`--store URL`, for a command about the store as a whole."""
    parser.add_argument(
        "--store",
        metavar="URL",
        help="sqlite:///path.db or postgresql://…; else MULLIGAN_STORE, else "
        "`store` under [tool.mulligan] in pyproject.toml",
    )


def add_store(parser: argparse.ArgumentParser) -> None:
    """`--store URL` and `--tenant NAME`."""
    add_whole_store(parser)
    parser.add_argument(
        "--tenant", metavar="NAME", help="keep to one tenant; else MULLIGAN_TENANT, else all"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")


def add_store_and_json(parser: argparse.ArgumentParser) -> None:
    """`--store URL`, `--tenant NAME` and `--json`."""
    add_store(parser)
    add_json(parser)


def add_span(parser: argparse.ArgumentParser) -> None:
    """`--since TIME` and `--until TIME`."""
    parser.add_argument(
        "--since", type=parse_moment, metavar="TIME", help="30m, 2h, 7d, or an ISO time"
    )
    parser.add_argument("--until", type=parse_moment, metavar="TIME", help="the same")


def limit(default: int) -> Argument:
    """`-n N`: how many rows at most."""
    says = f"how many (default: {default})"
    return option("-n", "--limit", type=parse_count, default=default, help=says)


def parse_moment(text: str) -> datetime:
    """`2h`, `7d` (that long ago), or an ISO time with its zone."""
    span = re.fullmatch(r"(\d{1,6})([smhdw])", text.strip())
    try:
        if span:
            return datetime.now(UTC) - timedelta(**{_UNITS[span[2]]: int(span[1])})
        read = datetime.fromisoformat(text)
        instant = read.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time; say 30m, 2h or 7d, or an ISO time with its zone, "
            "such as 2026-11-14T09:00+01:00"
        ) from error
    if read.tzinfo is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} has no time zone; write {read.isoformat(timespec='minutes')}+00:00 for UTC, "
            "or say 30m, 2h or 7d"
        )
    return instant


def parse_count(text: str) -> int:
    """A whole number from 1 to `MOST_ROWS`."""
    if not re.fullmatch(r"[0-9]{1,7}", text) or not 1 <= int(text) <= MOST_ROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_ROWS:,}")
    return int(text)


def complete_id(beginning: str | None, known: Callable[[], Iterable[str | None]]) -> str | None:
    """The whole of an id that is given by its beginning, among those that were seen lately."""
    wanted = (beginning or "").strip().replace("-", "").lower()
    if not wanted or len(wanted) >= WHOLE:
        return wanted or None
    found = sorted({each for each in known() if each and each.startswith(wanted)})
    if len(found) > 1:
        raise ConfigurationError(
            f"{beginning!r}: {len(found)} start so ({', '.join(found[:3])}): say more of it."
        )
    return found[0] if found else wanted


def find_user() -> str:
    """The user's name, recorded with their decisions."""
    try:
        import getpass  # for deciding commands alone: it brings `termios` along

        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        # A container may run under a number that has no name.
        return "a user of the command line"
