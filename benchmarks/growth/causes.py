"""Which functions take more steps than the text grows by, and who calls them: where to look for what repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchmarks.growth.counting import Counted
from benchmarks.growth.growing import Growth

_MOST = 15
_CALLERS = 3


def causes(grown: Growth) -> Iterator[str]:
    """Yield the functions whose steps grow most, and who calls them.

    First what grows by more than the text does: of twice the text, by more than twice the steps of the program before.
    """
    if grown.exponent is None:
        return
    smaller, larger = (one.counted for one in grown.measured[-2:])
    before, now = _by_function(smaller), _by_function(larger)
    for name in sorted(now, key=lambda name: 2 * before[name] - now[name])[:_MOST]:
        calls = now[name]
        power = grown.exponent_of(before[name], calls)
        by = ", ".join(f"{who} ({often:,})" for who, often in _callers(larger, name).most_common(_CALLERS))
        yield f"    {before[name]:>9,} {calls:>10,}  n^{power:5.2f}  {name}  by {by}"


def _by_function(counted: Counted) -> Counter[str]:
    """Return how often each function of Python's was called, with the functions of C that it called itself."""
    calls: Counter[str] = Counter()
    for (who, called), often in counted.calls.items():
        calls[who if called.startswith("<") else called] += often
    return calls


def _callers(counted: Counted, name: str) -> Counter[str]:
    return Counter({who: often for (who, called), often in counted.calls.items() if called == name})
