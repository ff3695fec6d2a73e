"""`python -m mulligan`."""

import sys

from mulligan.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
