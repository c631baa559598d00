"""Fail where linting has come to do more than it did: `python -m benchmarks.speed.regression`.

What is held is the number of calls for each byte of the fixtures, as benchmarks/growth counts them. Seconds vary too
much for that: the same code took 63 to 80 times what `ast.parse` takes on one machine in one hour.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.growth.counting import Counted, Limits, counted, warm_up
from torchlint.engine import Job, Target
from torchlint.files.discovery import discover
from torchlint.selection import chosen_rules

_FIXTURES = Path(__file__).parents[2] / "fixtures"
# What it took when this was last changed, on Python 3.11: other releases call other functions for the same program.
_KNOWN = 48.5
_CLEARLY = 1.1
# So much more than is known that it does not matter how much.
_LIMITS = Limits(steps=400_000_000, seconds=900.0)


def main() -> int:
    """Return 1 where linting the fixtures takes clearly more calls than it took, or does not end well."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        again = [sys.executable, "-m", "benchmarks.speed.regression"]
        os.execve(sys.executable, again, os.environ | {"PYTHONHASHSEED": "0"})  # noqa: S606
    targets = discover([_FIXTURES], (), _FIXTURES).targets
    took = _counted(targets)
    if took.stopped or took.failed:
        print(f"linting the fixtures failed: {took.stopped or took.failed[0]}")
        return 1
    calls = took.steps / sum(target.path.stat().st_size for target in targets)
    print(f"linting takes {calls:.1f} calls a byte; known: {_KNOWN}, to be noticed: {_KNOWN * _CLEARLY:.1f}")
    return int(calls > _KNOWN * _CLEARLY)


def _counted(targets: tuple[Target, ...]) -> Counted:
    rules = chosen_rules(None, (), {})
    # What is done for the first time is imported.
    warm_up(Job(_FIXTURES, targets[:1], rules))
    return counted(Job(_FIXTURES, targets, rules), _LIMITS)


if __name__ == "__main__":
    sys.exit(main())
