"""Write tables of `torchlint/pytorch/` from the sources of PyTorch's releases, or compare them with an installed one.

    python -m benchmarks.deprecations.run --record 1.8=FOLDER 1.9=FOLDER …
    python -m benchmarks.deprecations.run

The tables are `marked.py`, of names, and `removed_arguments.py`. A folder is a wheel of that release, unpacked: it is
read, and not run. Without folders, what the installed PyTorch says is compared with the tables, and the differences
are printed; none is the exit status 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distribution
from pathlib import Path

from benchmarks.deprecations.arguments import argument_rows
from benchmarks.deprecations.marks import How
from benchmarks.deprecations.sources import Sources
from benchmarks.deprecations.table import Reading, Release, reading, rows
from torchlint.pytorch.marked import MARKED
from torchlint.pytorch.removed import REMOVED
from torchlint.pytorch.removed_arguments import REMOVED_ARGUMENTS

_TABLE = Path(__file__).parents[2] / "torchlint" / "pytorch" / "marked.py"
_ARGUMENTS = _TABLE.with_name("removed_arguments.py")
_PACKAGES = ("torch", "functorch")
_OPENING, _CLOSING = '_ROWS = """\\\n', '"""\n'


def main(arguments: list[str] | None = None) -> int:
    """Write or compare the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", nargs="+", metavar="RELEASE=FOLDER", default=[])
    named = [one.partition("=") for one in parser.parse_args(arguments).record]
    if named:
        with ProcessPoolExecutor() as pool:
            readings = list(pool.map(_read, [Path(folder) for *_, folder in named], [_release(v) for v, *_ in named]))
        read = min(one.release for one in readings)
        removed = [name for name, removal in REMOVED.items() if removal.release > read]
        _write(_TABLE, rows(readings, removed))
        _write(_ARGUMENTS, argument_rows(readings))
        return 0
    different = list(differences(installed()))
    print(*different, sep="\n", end="\n" if different else "")
    return 1 if different else 0


def installed() -> Reading:
    """Return what the sources of the installed PyTorch say."""
    found = distribution("torch")
    return _read(Path(str(found.locate_file(""))), _release(found.version))


def differences(said: Reading) -> Iterator[str]:
    """Yield where the table and the sources of a release disagree, in words."""
    for name, row in MARKED.items():
        is_gone = row.gone is not None and row.gone <= said.release
        mark = said.marked.get(name)
        if is_gone and name in said.names and (mark is None or mark.how is not How.RAISES):
            yield f"{name}: does not raise in {_text(said.release)}"
        if not is_gone and name not in said.names and name in _named_since(said.release):
            yield f"{name}: is absent from {_text(said.release)}"
        if not is_gone and mark is None and row.since is not None and row.since <= said.release:
            yield f"{name}: is not marked in {_text(said.release)}"
        if mark is not None and mark.how is not How.RAISES and (row.since is None or row.since > said.release):
            yield f"{name}: is marked in {_text(said.release)} already"
    for found in rows([said]):
        if found.name not in MARKED:
            yield f"{found.name}: is marked in {_text(said.release)}, and no row of the table"
    yield from _of_arguments(said)


def _of_arguments(said: Reading) -> Iterator[str]:
    for name, row in ((name, row) for name, found in REMOVED_ARGUMENTS.items() for row in found):
        taken = said.signatures.get(name)
        if taken is not None and (taken.takes_all or row.argument in taken.names) == (row.gone <= said.release):
            verb = "takes" if row.gone <= said.release else "does not take"
            yield f"{name}: {verb} `{row.argument}` in {_text(said.release)}"


def _named_since(release: Release) -> frozenset[str]:
    """Return the names of the table that a release should have."""
    return frozenset(name for name, row in MARKED.items() if row.since is not None and row.since <= release)


def _read(folder: Path, release: Release) -> Reading:
    return reading(Sources(folder, _PACKAGES), release)


def _write(table: Path, found: Iterable[object]) -> None:
    """Replace the rows of a table."""
    head, _, rest = table.read_text("utf-8").partition(_OPENING)
    lines = "".join(f"{row}\n" for row in found)
    table.write_text(head + _OPENING + lines + _CLOSING + rest.partition(_CLOSING)[2], "utf-8")


def _release(version: str) -> Release:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _text(release: Release) -> str:
    return f"PyTorch {release[0]}.{release[1]}"


if __name__ == "__main__":
    sys.exit(main())
