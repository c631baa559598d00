"""The command `torchlint`."""

from __future__ import annotations

import gc
import sys

from torchlint.cli.run import run

__all__ = ["main", "run"]


def main() -> None:
    """Carry out the command line of this process, and exit."""
    code = run(sys.argv[1:])
    # The system takes back the memory of a process in no time; Python would look for what may be freed first.
    gc.freeze()
    sys.exit(code)
