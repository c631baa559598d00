"""The command `torchlint`."""

from __future__ import annotations

import sys

from torchlint.cli.run import run

__all__ = ["main", "run"]


def main() -> None:
    """Carry out the command line of this process, and exit."""
    sys.exit(run(sys.argv[1:]))
