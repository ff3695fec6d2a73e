"""`python -m mulligan`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # `python -m` looks in the current folder first, where any file may have a module's name.
    if sys.path[0] in ("", str(Path.cwd())) and not sys.flags.safe_path:
        del sys.path[0]
    from mulligan.cli.main import main

    sys.exit(main())
