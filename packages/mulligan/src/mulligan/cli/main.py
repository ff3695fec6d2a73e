"""`mulligan`: the commands, and what their exit codes mean."""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from mulligan.cli.commands import add_examples, list_adders
from mulligan.cli.options import Parser
from mulligan.cli.terminal import allow_any_character, keep_stdout
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.version import VERSION

FINE, BAD_INPUT, FAILED = 0, 2, 3

LIVE = frozenset({"dashboard", "gateway", "worker", "completion"})
"""Commands that run until stopped, or never wait."""

ALL = frozenset({"completion"})
"""Commands that need the parsers of all the others."""

RARELY = 50_000
"""Objects after which a command looks for cycles. Its imports make many, and nothing to free."""

EXIT_CODES = """\
exit codes:
  0  done, nothing needs attention
  1  something needs attention
  2  invalid arguments or settings
  3  the store could not be used
"""


def build_parser(named: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, also for the generated reference.

    `named`: for this command alone; of the others it has no more than names.
    """
    parser = Parser(
        prog="mulligan",
        description="Gives an AI agent a second shot: see what its tools did and the results.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mulligan {VERSION}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True, parser_class=Parser
    )
    for add_to in list_adders(named):
        add_to(commands)
    add_examples(parser)
    parser.set_defaults(parser=parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Every error of ours is one sentence on standard error."""
    given = sys.argv[1:] if arguments is None else arguments
    typed = next((each for each in given if not each.startswith("-")), "")
    named = None if typed in ALL else typed
    if arguments is None:
        allow_any_character()
    if arguments is None and named not in LIVE:
        # Look for cycles rarely, and not at the end: the process ends with its command.
        gc.set_threshold(RARELY)
        atexit.register(gc.freeze)
    try:
        options = build_parser(named).parse_args(given)
        with keep_stdout() if getattr(options, "json", False) else nullcontext():
            return _run(options)
    except ConfigurationError as error:
        return _complain(error, BAD_INPUT)
    except MulliganError as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`mulligan log | head`): that is no error, and Python must not
        # complain about it at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        why = f"the output could not be written: {error.strerror}." if error.strerror else error
        return _complain(why, FAILED)


def _run(options: argparse.Namespace) -> int:
    from mulligan.cli.terminal import show_waiting
    from mulligan.settings import Settings

    settings = Settings.load()
    named = {name: getattr(options, name, None) for name in ("store", "tenant")}
    settings = settings.with_values(**{k: said for k, said in named.items() if said is not None})
    with nullcontext() if options.command in LIVE else show_waiting(options.command):
        code = int(options.run(options, settings))
    # Flushed here, so that a failure can still be reported.
    sys.stdout.flush()
    return code


def _complain(error: object, code: int) -> int:
    from mulligan.cli.render import escape_text
    from mulligan.redaction.redactor import hide_secrets

    print(f"mulligan: {escape_text(hide_secrets(str(error)))}", file=sys.stderr)
    return code
