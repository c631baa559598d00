"""Print how the steps of linting grow with what is linted: `python -m benchmarks.growth.run`."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from benchmarks.growth.counting import MOST_SECONDS, MOST_STEPS, warm_up
from benchmarks.growth.families import FAMILIES, Family
from benchmarks.growth.growing import Growth, growth, measured
from benchmarks.growth.program import program, trainer

# About 500 lines of the fixtures, each of eight words and marks.
_LINES = 500
_WORDS = 8 * _LINES
_STEEPEST = 1.5
_MOST_FOR_LINES = 3_000_000
_STARTUP = program(trainer(), "train('cuda')")
_QUICK_STEPS, _QUICK_SECONDS = 10_000_000, 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 where a family grows too fast, takes too much, does not end or makes a rule fail."""
    options = _options(arguments)
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, _again(), os.environ | {"PYTHONHASHSEED": "0"})
    chosen = [FAMILIES[name] for name in options.families] or [*FAMILIES.values()]
    if not (options.families or options.all or options.quick):
        return _list(chosen)
    with _folder() as root:
        warm_up(_STARTUP, root)
        measure = partial(measured, root=root, most_steps=options.steps, most_seconds=options.seconds)
        startup = measure(0, _STARTUP)
        grown = []
        for one in chosen:
            grown.append(growth(one, _sizes(one, options), startup, measure))
            print(grown[-1].line, flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) | {"exponent": one.exponent} for one in grown], indent=1) + "\n")
    return _closed(grown, is_checked=options.quick)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth.run", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="family", choices=[[], *FAMILIES], help="families by name; with none, list them")
    parser.add_argument("--all", action="store_true", help="measure every family")
    parser.add_argument("--quick", action="store_true", help="what CI runs: two sizes of each, and exit 1 above the limits")
    parser.add_argument("--sizes", type=_numbers, help="lint these n, as 16,32,64")
    parser.add_argument("--steps", type=int, help="stop linting a program after so many steps")
    parser.add_argument("--seconds", type=float, help="and after so many seconds on the clock")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything here as well")
    options = parser.parse_args(arguments)
    options.steps = options.steps or (_QUICK_STEPS if options.quick else MOST_STEPS)
    options.seconds = options.seconds or (_QUICK_SECONDS if options.quick else MOST_SECONDS)
    return options


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _again() -> list[str]:
    return [sys.executable, "-m", "benchmarks.growth.run", *sys.argv[1:]]


def _list(families: Iterable[Family]) -> int:
    for one in families:
        print(f"{one.kind:11} {one.name:32} {one.says}")
    return 0


def _sizes(family: Family, options: argparse.Namespace) -> list[int]:
    """Return the sizes that are asked for, or else those that double up to 500 lines, of which CI takes the last two."""
    if options.sizes:
        return [n if family.most is None else min(n, family.most) for n in options.sizes]
    largest = family.sized(_WORDS)
    return [largest >> halved for halved in range(2 if options.quick else 6) if largest >> halved]


@contextmanager
def _folder() -> Iterator[Path]:
    """Return the folder that programs lie in: always the same one, and of one run at a time."""
    root = Path(tempfile.gettempdir()) / f"torchlint-growth-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield root / "program"


def _closed(grown: Sequence[Growth], *, is_checked: bool) -> int:
    """Print what is above the limits, and how many are; return 1 where a check failed."""
    over = {one.family: list(_above(one)) for one in grown}
    for name, reasons in over.items():
        for reason in reasons:
            print(f"{name}: {reason}")
    bad = sum(map(bool, over.values()))
    print(f"{len(grown)} families, {bad} above the limits; the steepest: {_steepest(grown)}")
    return int(is_checked and bad > 0)


def _above(one: Growth) -> Iterator[str]:
    """Yield why a family is above the limits."""
    counted = one.largest.counted
    if counted.stopped:
        yield f"{one.largest.words} words did not end: {counted.stopped}"
    yield from counted.failed
    if one.exponent is not None and one.exponent > _STEEPEST:
        yield f"grows by the power of {one.exponent:.2f}, and no family may by more than {_STEEPEST}"
    if one.largest.words <= _WORDS and counted.steps > _MOST_FOR_LINES:
        yield f"takes {counted.steps:,} steps, and {_LINES} lines may take {_MOST_FOR_LINES:,}"


def _steepest(grown: Sequence[Growth]) -> str:
    known = [(one.exponent, one.family) for one in grown if one.exponent is not None]
    return ", ".join(f"{name} {exponent:.2f}" for exponent, name in sorted(known, reverse=True)[:3])


if __name__ == "__main__":
    sys.exit(main())
