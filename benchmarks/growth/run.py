"""Print how the steps of linting grow with what is linted: `python -m benchmarks.growth.run`.

Each family is linted with every rule at sizes that double, up to the text of about 500 lines. With no family, `--all`
or `--quick`, the families are listed.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from benchmarks.growth.causes import causes
from benchmarks.growth.counting import Limits
from benchmarks.growth.families import FAMILIES, Family
from benchmarks.growth.growing import Growth
from benchmarks.growth.known import KNOWN
from benchmarks.growth.limits import LINES, MOST_STEPS, WORDS, above, is_far_below
from benchmarks.growth.side_by_side import measured

_LIMITS, _QUICK_LIMITS = Limits(40_000_000, 60.0), Limits(MOST_STEPS, 30.0)
_DOUBLINGS = 5
# What only goes so deep before it gives up costs most where it just does not.
_NOT_DEEP = 32


def main() -> int:
    """Return 1 where `--quick` finds a family above the limits that is not known to be."""
    options = _options()
    if not (options.families or options.all or options.quick):
        return _list()
    if os.environ.get("PYTHONHASHSEED") != "0":
        again = [sys.executable, "-m", "benchmarks.growth.run", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {"PYTHONHASHSEED": "0"})  # noqa: S606
    asked = [(one, _sizes(one, options)) for one in _chosen(options)]
    with _folder() as root:
        is_enough = is_far_below if options.quick and not (options.sizes or any(options.families.values())) else None
        found = measured(asked, root, _limits(options), by_caller=options.why, is_enough=is_enough)
        grown = [_shown(one, options.why) for one in found]
    if options.json:
        options.json.write_text(json.dumps([_as_json(one) for one in grown], indent=1) + "\n", "utf-8")
    return _closed(grown) if options.quick else 0


def _options() -> argparse.Namespace:
    described, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser("python -m benchmarks.growth.run", description=described, epilog=more)
    add = parser.add_argument
    families = "measure these families, or all of these kinds; sizes of their own follow a colon: mixins:16,32"
    add("families", nargs="*", type=_with_sizes, metavar="family", help=families)
    add("--all", action="store_true", help="measure every family")
    add("--quick", action="store_true", help="few sizes of every family; exit 1 where one is above the limits")
    add("--sizes", type=_numbers, metavar="N,N", help="lint programs of these n: 16,32,64")
    add("--why", action="store_true", help="show which functions are called most, and by whom")
    add("--steps", type=int, metavar="N", help="stop linting a program after so many steps")
    add("--seconds", type=float, metavar="S", help="stop linting a program after so many seconds on the clock")
    add("--json", type=Path, metavar="FILE", help="write what was measured to this file, too")
    options = parser.parse_args()
    options.families = dict(options.families)
    kinds = {one.kind for one in FAMILIES.values()}
    if unknown := [name for name in options.families if name not in FAMILIES and name not in kinds]:
        parser.error(f"no family or kind is called {', '.join(unknown)}; without arguments, they are listed")
    return options


def _with_sizes(text: str) -> tuple[str, list[int]]:
    """Return the name of a family or kind, and the sizes of its own that follow it, if any."""
    name, _, sizes = text.partition(":")
    return name, _numbers(sizes) if sizes else []


def _numbers(text: str) -> list[int]:
    numbers = [int(number) for number in text.split(",")]
    if min(numbers) < 1:
        raise ValueError
    return numbers


def _limits(options: argparse.Namespace) -> Limits:
    usual = _QUICK_LIMITS if options.quick else _LIMITS
    return Limits(options.steps or usual.steps, options.seconds or usual.seconds)


def _list() -> int:
    for one in FAMILIES.values():
        print(f"{one.kind:11} {one.name:32} {one.says}")
    return 0


def _chosen(options: argparse.Namespace) -> list[Family]:
    names = options.families
    return [one for one in FAMILIES.values() if not names or one.name in names or one.kind in names]


def _sizes(family: Family, options: argparse.Namespace) -> list[int]:
    """Return the sizes that are asked for, or else those that double up to the text of 500 lines."""
    families = options.families
    if sizes := families.get(family.name) or families.get(family.kind) or options.sizes:
        return [n if family.most is None else min(n, family.most) for n in sizes]
    largest = family.sized(WORDS)
    if options.quick:
        return [min(_NOT_DEEP, largest), max(largest // 4, 1), largest // 2, largest]
    return [largest >> halved for halved in range(_DOUBLINGS + 1) if largest >> halved]


@contextmanager
def _folder() -> Iterator[Path]:
    """Return the folder that programs lie in: the same each time, and of one run at a time."""
    folder = Path(tempfile.gettempdir()) / f"torchlint-growth-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _shown(grown: Growth, why: bool) -> Growth:
    print(grown.line, *(causes(grown) if why else ()), sep="\n", flush=True)
    return grown


def _as_json(grown: Growth) -> dict[str, object]:
    family = {"family": grown.family.name, "kind": grown.family.kind, "says": grown.family.says}
    sizes = [{"n": one.n, "words": one.words} | asdict(one.counted) for one in grown.measured]
    return family | {"exponent": grown.exponent, "sizes": [{**one, "calls": None} for one in sizes]}


def _closed(grown: Sequence[Growth]) -> int:
    """Print what is above the limits, and a summary; return 1 where anything is that is not known to be."""
    over = {one.family.name: reasons for one in grown if (reasons := list(above(one)))}
    for name, reasons in over.items():
        known = f" (known: {KNOWN[name]})" if name in KNOWN else ""
        print(f"{name}: {'; '.join(reasons)}{known}")
    for name in sorted(KNOWN.keys() & {one.family.name for one in grown} - over.keys()):
        print(f"{name}: within the limits now, so it can leave `known.py`")
    steepest = max(grown, key=lambda one: one.exponent or 0)
    dearest = max(grown, key=lambda one: one.most_steps)
    print(
        f"{len(grown)} families, {len(over)} above the limits, {len(over.keys() & KNOWN.keys())} of them known; "
        f"the steepest is {steepest.family.name}, n^{steepest.exponent or 0:.2f}; "
        f"most of all for {LINES} lines takes {dearest.family.name}, {dearest.most_steps:,} steps"
    )
    return int(not over.keys() <= KNOWN.keys())


if __name__ == "__main__":
    sys.exit(main())
