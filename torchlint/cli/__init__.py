"""The command `torchlint`."""

from __future__ import annotations

import gc
import sys

from torchlint.cli.run import run

__all__ = ["main", "run"]


def main() -> None:
    """Run the command line of this process, and exit."""
    code = run(sys.argv[1:])
    # The system frees the memory of a process at once; Python would search it for garbage first.
    gc.freeze()
    sys.exit(code)
