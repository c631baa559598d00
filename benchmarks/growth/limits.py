"""How fast linting may grow, and what 500 lines may take."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.growth.growing import Growth, Measured

LINES = 500
# The fixtures have eight words and marks in a line.
WORDS = 8 * LINES
MOST_STEPS = 4_000_000
_STEEPEST = 1.5
# What only begins to grow in the square of n shows more than this.
_STRAIGHT = 1.1
_MOST_MEGABYTES = 300


def above(grown: Growth) -> Iterator[str]:
    """Yield in what a family is above the limits."""
    for one in grown.measured:
        yield from _above(one)
    if grown.exponent is not None and grown.exponent > _STEEPEST and not _is_mostly_startup(grown):
        yield f"the steps grow with n^{grown.exponent:.2f}; no family may grow faster than n^{_STEEPEST}"


def is_far_below(grown: Growth) -> bool:
    """Tell whether steps grow no faster than the text from a quarter of the largest to half of it.

    Twice of that is below the limits then, even where it takes all that the steepest family may.
    """
    if grown.exponent is None or any(above(grown)):
        return False
    quarter, half = (one.words for one in grown.measured[-2:])
    is_half = 3 * half >= WORDS and 3 * quarter <= 2 * half
    return is_half and grown.exponent <= _STRAIGHT and grown.most_steps * 2**_STEEPEST <= MOST_STEPS


def _is_mostly_startup(grown: Growth) -> bool:
    """Tell whether even the largest program takes less than twice what any program takes.

    Start-up is subtracted before growth is measured. It differs by a few thousand steps from family to family, which
    decides the exponent where not much more is left.
    """
    return grown.largest.counted.steps < 2 * grown.startup.counted.steps


def _above(one: Measured) -> Iterator[str]:
    counted = one.counted
    if counted.stopped:
        yield f"linting {one.words:,} words did not end: {counted.stopped}"
    elif counted.steps > MOST_STEPS:
        yield f"{one.words:,} words take {counted.steps:,} steps; {LINES} lines may take {MOST_STEPS:,}"
    if counted.megabytes > _MOST_MEGABYTES:
        yield f"{one.words:,} words take {counted.megabytes:,.0f} MB; no program may take more than {_MOST_MEGABYTES}"
    yield from counted.failed
