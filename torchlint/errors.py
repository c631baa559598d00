"""What can go wrong that is not a finding."""

from __future__ import annotations


class TorchlintError(Exception):
    """Anything that torchlint says on stderr before it exits with 2.

    `lines` holds one complete message each, so that every mistake is told in one run.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class UsageError(TorchlintError):
    """The user asked for what cannot be: a missing path, an unknown rule, a wrong config value."""
