"""Lint packages that many use, and compare what is said to the record: `python -m benchmarks.ecosystem.run`.

What came, what went and what changed is printed, and is there in full under `--out`. The exit code is 1 where findings
differ from the record.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.ecosystem.difference import difference, steps_changed
from benchmarks.ecosystem.options import CHECKOUT, NAMES, parser_of, subjects_of
from benchmarks.ecosystem.probing import all_said, checkout_at
from benchmarks.ecosystem.said import Said, from_record
from torchlint.errors import UsageError

_RECORDS = Path(__file__).with_name("record")


def main() -> int:
    """Return 1 where findings differ from the record, 2 where there is nothing to lint."""
    options, started = _options(), time.perf_counter()
    try:
        subjects = subjects_of(options, options.packages)
        checkout = checkout_at(CHECKOUT, options.kept)
        differ = [_done(said, options) for said in all_said(checkout, subjects, options.jobs, is_repeated=True)]
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(differ)} linted in {time.perf_counter() - started:.0f} s, {sum(differ)} differ from the record")
    return int(any(differ))


def _options() -> argparse.Namespace:
    parser = parser_of("benchmarks.ecosystem.run", __doc__)
    add = parser.add_argument
    add("packages", nargs="*", metavar="package", help=f"one of {', '.join(NAMES)}; all without any")
    add("--out", type=Path, metavar="DIR", help="write what is said in full to this folder, a file each")
    add("--record", action="store_true", help="write the record, and compare to nothing")
    add("--records", type=Path, default=_RECORDS, metavar="DIR", help="where the record lies")
    options = parser.parse_args()
    if unknown := [name for name in options.packages if name not in NAMES]:
        parser.error(f"no package is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


def _done(said: Said, options: argparse.Namespace) -> bool:
    """Write what is asked for, print what differs, and tell whether findings do."""
    print(f"{said.subject}: {said.total}, {said.seconds:.1f} s of CPU", flush=True)
    if options.out:
        _write(options.out, said.subject, said.full)
    if options.record:
        _write(options.records, said.subject, said.record)
        return False
    return _differs(said, options.records / f"{said.subject}.txt", options.percent)


def _differs(said: Said, path: Path, percent: float) -> bool:
    """Print what differs from the record, and tell whether findings do."""
    if not path.exists():
        print(f"{said.subject}: not in the record; `--record` adds it")
        return True
    record = from_record(path)
    if record.of != said.of:
        print(f"{said.subject}: the record is of other files, {record.of} instead of {said.of}")
    found = difference(record, said)
    print(f"{said.subject}: {found.summary}", *found.lines, *steps_changed(record, said, percent), sep="\n", flush=True)
    return bool(found)


def _write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
