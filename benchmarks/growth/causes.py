"""Which functions are called more often than the text grows, and by whom: where to look for what repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchmarks.growth.counting import Counted
from benchmarks.growth.growing import Growth

_MOST = 15
_CALLERS = 3


def causes(grown: Growth) -> Iterator[str]:
    """Yield the functions that the largest program calls most, how often the one before did, and who calls them."""
    if grown.exponent is None:
        return
    smaller, larger = (one.counted for one in grown.measured[-2:])
    before, now = _by_function(smaller), _by_function(larger)
    for name, calls in now.most_common(_MOST):
        power = grown.exponent_of(before[name], calls)
        by = ", ".join(f"{who} ({often:,})" for who, often in _callers(larger, name).most_common(_CALLERS))
        yield f"    {before[name]:>9,} {calls:>10,}  n^{power:5.2f}  {name}  by {by}"


def _by_function(counted: Counted) -> Counter[str]:
    """Return how often each function of Python's was called."""
    calls: Counter[str] = Counter()
    for (_, called), often in counted.calls.items():
        if not called.startswith("<"):
            calls[called] += often
    return calls


def _callers(counted: Counted, name: str) -> Counter[str]:
    return Counter({who: often for (who, called), often in counted.calls.items() if called == name})
