"""`make extras`: the wheel without any extra, and with each alone, in a fresh environment.

There, every public name is imported and the extra is used: the example of a host runs, of anything
else what it is for. Nothing of the checkout is on the path.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

from bench.hosts.apart import run_apart, try_each
from bench.hosts.drivers import HOSTS
from bench.hosts.environments import FOLDER
from bench.hosts.results import ROOT
from bench.missing import MissingError
from bench.peers import BASE

PLAIN = "none"
"""The wheel alone."""
LEFT_OUT = ("site", "test")
"""What nobody installs who only uses it."""
PACKAGES = (*sorted((ROOT / "packages").iterdir()), ROOT / "examples" / "demo")

USES = {
    PLAIN: """
        from mulligan import Mulligan
        with Mulligan("memory:") as m:
            @m.tool(effect="read")
            def look(city: str) -> str:
                return "sun"
            with m.turn("How is it?"):
                assert look("Bari") == "sun"
        """,
    "postgres": """
        from mulligan import Mulligan
        from mulligan.types.errors import StoreError
        try:
            Mulligan("postgresql://127.0.0.1:1/nobody")
        except StoreError as nobody:
            print(nobody)
        """,
    "fast": """
        from mulligan.redaction.fast import describe_form
        assert describe_form(fast=True).startswith("compiled"), describe_form(fast=True)
        """,
    "calendar": "import mulligan_packs.calendar",
    "http": "import mulligan_packs.http",
    "packs": "import mulligan_packs.files",
    "sql": "import mulligan_packs.sql",
    "testing": "import mulligan_testing.fakes, mulligan_testing.remote",
    "dbos": "from mulligan import Mulligan; Mulligan('memory:').for_dbos()",
    "temporal": "from mulligan import Mulligan; Mulligan('memory:').for_temporal()",
    "otlp": "from mulligan import Mulligan; Mulligan('memory:', otlp='http://127.0.0.1:9').close()",
    "parquet": """
        from mulligan import Mulligan
        from mulligan.cli.main import main
        with Mulligan("sqlite:///seen.db"):
            pass
        assert main(["export", "--parquet", "--store", "sqlite:///seen.db", "out"]) == 0
    """,
    "completion": """
        import contextlib, io
        from mulligan.cli.main import main
        with contextlib.redirect_stdout(io.StringIO()) as said:
            assert main(["completion", "bash"]) == 0
        assert "_shtab_mulligan" in said.getvalue()
    """,
    "dashboard": """
        from mulligan.insights import Insights
        from mulligan.settings import Settings
        from mulligan_dashboard.app import create_app
        from mulligan import Mulligan
        with Mulligan("sqlite:///seen.db"):
            pass
        with Insights.open(Settings(store="sqlite:///seen.db")) as insights:
            create_app(insights)
        """,
    "gateway": "import mulligan_gateway.http_server, mulligan_gateway.upstream",
    "oidc": """
        from mulligan_gateway.sign_in import read_keys
        # The key of RFC 7517, appendix A.1.
        key = {
            "kty": "EC", "crv": "P-256",
            "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        }
        assert read_keys([key])
        """,
    "replay": """
        from mulligan.cli.main import main
        assert main(["replay", "--example", "--json"]) == 0
        """,
    "demo": "from mulligan.cli.main import main; raise SystemExit(main(['demo']))",
    "encryption": """
        from mulligan.stores.crypto import Seal
        Seal(b"k" * 32)
        """,
    "dates": """
        from mulligan_dates.calendar import load_national_days
        assert load_national_days("DE", 2026)
        """,
    "judge": """
        from pydantic_ai.models.test import TestModel
        from mulligan.judge import open_model
        open_model(TestModel())
        """,
    **{
        extra: f"""
        import os
        os.environ[{key!r}] = "none"
        from mulligan.judge import open_model
        open_model({model!r})
        """
        for extra, key, model in (
            ("anthropic", "ANTHROPIC_API_KEY", "anthropic:claude-sonnet-4-5"),
            ("openai", "OPENAI_API_KEY", "openai:gpt-5"),
            ("bedrock", "AWS_DEFAULT_REGION", "bedrock:amazon.nova-pro-v1:0"),
        )
    },
}
"""What shows that an extra brought what it is for, where it is no host's."""


def list_extras() -> list[str]:
    """None of them, and each that a user may ask for."""
    project = tomllib.loads((BASE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [PLAIN, *(each for each in project["optional-dependencies"] if each not in LEFT_OUT)]


def list_commands(extra: str) -> Iterator[list[str]]:
    """What is run with it, by its interpreter."""
    yield ["-c", "from mulligan import *"]
    if extra in HOSTS:
        yield [str(ROOT / "examples" / "hosts" / f"with_{extra.replace('-', '_')}.py")]
    elif extra in USES:
        yield ["-c", dedent(USES[extra])]
    else:
        raise MissingError(f"Nothing says what the extra {extra!r} is for: bench/hosts/extras.py.")


def build_wheels(folder: Path, packages: Iterable[Path] = PACKAGES) -> None:
    """Of packages of the checkout, each from its sdist, to be found as on a registry."""
    for old in (*folder.glob("*.whl"), *folder.glob("*.tar.gz")):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)]
    for package in packages:
        compiled = (package / "setup.py").is_file()
        tool, module = ("setuptools", "build_meta") if compiled else ("hatchling", "build")
        source = package
        if find_spec(tool):
            build = f"import {tool}.{module} as tool; print(tool.build_sdist({str(folder)!r}))"
            said = run_apart(sys.executable, "-c", build, at=package)
            source = folder / said.split()[-1]
        # With hatchling at hand, none is fetched; setuptools may lack its own `wheel`.
        at_hand = ["--no-build-isolation"] if find_spec(tool) and not compiled else []
        run_apart(*command, *at_hand, source)


def try_extra(extra: str, folder: Path = FOLDER) -> None:
    """Make the environment and use it; `MissingError` says what went wrong."""
    home = folder / f"extra-{extra}"
    python = str(home / "bin" / "python")
    wanted = "mulligan" if extra == PLAIN else f"mulligan[{extra}]"
    run_apart(sys.executable, "-m", "venv", "--clear", home)
    run_apart(python, "-m", "pip", "install", "-q", "--find-links", folder, wanted)
    with tempfile.TemporaryDirectory() as elsewhere:
        for command in list_commands(extra):
            run_apart(python, *command, at=elsewhere)


def main(arguments: list[str] | None = None) -> int:
    """Try them one after the other; 1 if any could not be used."""
    parser = argparse.ArgumentParser(prog="make extras", description=__doc__)
    parser.add_argument("--extra", default="", choices=("", *list_extras()), help="this one alone")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    build_wheels(FOLDER)
    asked = [options.extra] if options.extra else list_extras()
    return 1 if try_each((extra, partial(try_extra, extra)) for extra in asked) else 0


if __name__ == "__main__":
    sys.exit(main())
