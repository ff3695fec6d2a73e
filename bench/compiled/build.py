"""Builds the compiled part from its sources, with the compiler that is there and nothing else."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from bench.missing import MissingError
from bench.peers import ROOT
from mulligan.redaction.fast import MODULE

FOLDER = ROOT / "packages" / "mulligan-fast"
LIBRARY = "core.abi3.so"
_STRICT = ("-O2", "-Wall", "-Wextra", "-Werror")
_SANITIZED = (
    *("-O1", "-g", "-fno-omit-frame-pointer"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)


def build_package(folder: Path, *, sanitized: bool = False) -> Path:
    """Compile it into `folder`, which then goes on the path. Returns the library."""
    package = folder / "mulligan_fast"
    package.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "src" / "mulligan_fast" / "__init__.py", package)
    built = package / LIBRARY
    sources = sorted(str(each) for each in (FOLDER / "core").glob("*.c"))
    shared = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    compiler = find_compiler()
    command = [compiler, *shared[1:], "-fPIC", *(_SANITIZED if sanitized else _STRICT)]
    command += [f"-I{sysconfig.get_path('include')}", *sources, "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The compiled part does not compile:\n{done.stderr}")
    return built


def find_compiler() -> str:
    """The C compiler, where there is one with Python's headers."""
    named = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    found = shutil.which(shlex.split(named)[0]) or shutil.which("cc")
    if found is None:
        raise MissingError("There is no C compiler here: the compiled part cannot be built.")
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        raise MissingError("Python's headers are not here: the compiled part cannot be built.")
    return found


def import_library(built: Path) -> ModuleType:
    """The library that was built, as the module that it is."""
    found = importlib.util.spec_from_file_location(MODULE, built)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def make_sanitized_environment() -> dict[str, str]:
    """In which a plain interpreter runs what was built with the sanitizers."""
    compiler = find_compiler()
    said = [compiler, "-print-file-name=libasan.so"]
    library = subprocess.run(said, capture_output=True, text=True, check=True).stdout.strip()
    return {
        **os.environ,
        "LD_PRELOAD": str(Path(library).resolve()),
        # Python's own allocator would hide what is read beyond an object's end.
        "PYTHONMALLOC": "malloc",
        # What an interpreter keeps until its end is no leak of ours; those are counted in blocks.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
