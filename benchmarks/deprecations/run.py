"""Write `torchlint/pytorch/marked.py` from the sources of PyTorch's releases, or compare it with an installed PyTorch.

    python -m benchmarks.deprecations.run --record 1.8=FOLDER 1.9=FOLDER …
    python -m benchmarks.deprecations.run

A folder is a wheel of that release, unpacked: it is read, and not run. Without folders, what the installed PyTorch says
is compared with the table, and the differences are printed; none is the exit status 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distribution
from pathlib import Path

from benchmarks.deprecations.marks import How
from benchmarks.deprecations.sources import Sources
from benchmarks.deprecations.table import Reading, Release, reading, rows
from torchlint.pytorch.marked import MARKED
from torchlint.pytorch.removed import REMOVED

_TABLE = Path(__file__).parents[2] / "torchlint" / "pytorch" / "marked.py"
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
        _TABLE.write_text(_with_rows(_TABLE.read_text("utf-8"), readings), "utf-8")
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


def _named_since(release: Release) -> frozenset[str]:
    """Return the names of the table that a release should have."""
    return frozenset(name for name, row in MARKED.items() if row.since is not None and row.since <= release)


def _read(folder: Path, release: Release) -> Reading:
    return reading(Sources(folder, _PACKAGES), release)


def _with_rows(text: str, readings: list[Reading]) -> str:
    head, _, rest = text.partition(_OPENING)
    read = min(one.release for one in readings)
    removed = [name for name, removal in REMOVED.items() if removal.release > read]
    lines = "".join(f"{row}\n" for row in rows(readings, removed))
    return head + _OPENING + lines + _CLOSING + rest.partition(_CLOSING)[2]


def _release(version: str) -> Release:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _text(release: Release) -> str:
    return f"PyTorch {release[0]}.{release[1]}"


if __name__ == "__main__":
    sys.exit(main())
