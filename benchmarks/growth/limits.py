"""How fast linting may grow, and what 500 lines may take."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.growth.growing import Growth

LINES = 500
# The fixtures have eight words and marks in a line.
WORDS = 8 * LINES
_STEEPEST = 1.5
_MOST_STEPS = 4_000_000


def above(grown: Growth) -> Iterator[str]:
    """Yield in what a family is above the limits."""
    largest, exponent = grown.largest, grown.exponent
    if largest.counted.stopped:
        yield f"linting {largest.words:,} words did not end: {largest.counted.stopped}"
    elif largest.counted.steps > _MOST_STEPS:
        yield f"{largest.words:,} words take {largest.counted.steps:,} steps; {LINES} lines may take {_MOST_STEPS:,}"
    if exponent is not None and exponent > _STEEPEST:
        yield f"the steps grow with n^{exponent:.2f}; no family may grow faster than n^{_STEEPEST}"
    yield from largest.counted.failed
