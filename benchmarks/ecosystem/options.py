"""The options of both programs, and the subjects that are named by them."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks.ecosystem.packages import PACKAGES, wheel_of
from benchmarks.ecosystem.subjects import Subject, of_folder, of_package

CHECKOUT = Path(__file__).resolve().parents[2]
_CACHE = Path.home() / ".cache" / "torchlint-benchmarks"
_PACKAGES = {package.name: package for package in PACKAGES}
NAMES = (*_PACKAGES, "fixtures", "cases")


def parser_of(module: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with what both programs take."""
    parser = argparse.ArgumentParser(f"python -m {module}", description=description)
    add = parser.add_argument
    add("--wheels", type=Path, default=_CACHE / "wheels", help="where wheels lie, and are fetched to")
    add("--cases", type=Path, default=CHECKOUT.parent / "shared" / "cases", help="a folder of folders of cases")
    add("--kept", type=Path, default=_CACHE / "ecosystem", help="where what was said is kept for comparing")
    add("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="lint so many at a time")
    add("--percent", type=float, default=2.0, metavar="P", help="show the steps of rules that changed by more")
    return parser


def subjects_of(options: argparse.Namespace, names: list[str]) -> list[Subject]:
    """Return the subjects of some names, all of them where there are none; raises `UsageError`."""
    chosen = [name for name in NAMES if not names or name in names]
    return [subject for name in chosen if (subject := _subject(name, options)) is not None]


def _subject(name: str, options: argparse.Namespace) -> Subject | None:
    if name == "fixtures":
        return of_folder(name, CHECKOUT / "fixtures", 1)
    if name == "cases":
        if options.cases.is_dir():
            return of_folder(name, options.cases, 2)
        print(f"cases: skipped, as there is no folder {options.cases}", file=sys.stderr)
        return None
    return of_package(_PACKAGES[name], wheel_of(_PACKAGES[name], options.wheels))
