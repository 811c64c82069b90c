"""`python -m hebbs_index` is the `hebbs` command."""

from __future__ import annotations

import sys

from hebbs_index.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
