"""`mulligan`: the commands, and what their exit codes mean."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from mulligan.app.settings import Settings
from mulligan.cli import (
    access,
    action_list,
    actions,
    call_log,
    completion,
    decisions,
    doctor,
    evaluate,
    figures,
    gateway,
    lessons,
    migrate,
    render,
    tasks,
)
from mulligan.cli.demo import command as demo
from mulligan.cli.examples import add_examples
from mulligan.cli.options import Parser
from mulligan.cli.output import keep_stdout
from mulligan.cli.viewing import dashboard, export, report, top, view
from mulligan.cli.waiting import show_waiting
from mulligan.cli.working import backup, worker
from mulligan.core.errors import ConfigurationError, MulliganError

FINE, BAD_INPUT, FAILED = 0, 2, 3

LIVE = frozenset({"dashboard", "gateway", "worker", "top", "completion"})
"""Commands that go on until they are stopped, or have nothing to wait for."""

EXIT_CODES = """\
exit codes:
  0  done, and nothing needs you
  1  something needs a person
  2  the command was given something it cannot use
  3  the store could not be used
"""

_COMMANDS = (
    demo, dashboard, top, report, view, export, gateway, worker, call_log, action_list, actions,
    decisions, figures, lessons, tasks, evaluate, doctor, migrate, access, backup, completion,
)  # fmt: skip


def build_parser() -> argparse.ArgumentParser:
    """The whole command line, also for the generated reference."""
    parser = Parser(
        prog="mulligan",
        description="Gives an AI agent a second shot: see what its tools did, and what came of it.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_read_version())
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True, parser_class=Parser
    )
    for command in _COMMANDS:
        command.add_to(commands)
    add_examples(parser)
    parser.set_defaults(parser=parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Every error of ours is one sentence on standard error."""
    options = build_parser().parse_args(arguments)
    try:
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
    settings = Settings.load()
    if getattr(options, "store", None) is not None:
        settings = settings.with_values(store=options.store)
    with nullcontext() if options.command in LIVE else show_waiting(options.command):
        code = int(options.run(options, settings))
    # Now, while there is still somebody to tell that it did not work.
    sys.stdout.flush()
    return code


def _complain(error: object, code: int) -> int:
    print(f"mulligan: {render.escape_text(str(error))}", file=sys.stderr)
    return code


def _read_version() -> str:
    from importlib.metadata import version

    return f"mulligan {version('mulligan')}"
