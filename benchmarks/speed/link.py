"""Measure what linking takes of parsing: `python -m benchmarks.speed.link FOLDER`.

Linking is all that tells which files the imports of a program name: the words of every file of the project, by which
callers are found as well, the folders that scripts add to `sys.path`, and each import statement of each file that is
reached. Parsing and indexing a file is no part of it, nor is following values.
"""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from torchlint.model.call_graph.importing import imported_by
from torchlint.model.project import Project
from torchlint.model.sourcefile import SourceFile
from torchlint.model.worlds import ANYWHERE

_ROUNDS = 5


def linked(project: Project, files: Iterable[SourceFile]) -> set[Path]:
    """Resolve the imports of files, and return where what they name is."""
    ev = project.evaluator(ANYWHERE)
    found = set()
    for file in files:
        for statement in file.index.imports:
            found.update(one.location for one in imported_by(ev, file, statement))
    return found


def reached(root: Path) -> list[Path]:
    """Return the files below a folder that say `torch` or change the search path, and all that these lead to."""
    project = Project(root)
    known: dict[Path, None] = {}
    new = {path for path in root.rglob("*.py") if b"torch" in path.read_bytes()}
    new.update(project.library.holding("sys.path."))
    while new:
        known.update(dict.fromkeys(sorted(new)))
        new = linked(project, _parsed(project, sorted(new))) - known.keys()
    return list(known)


def ratio(root: Path, paths: list[Path]) -> float:
    """Return what linking takes of what parsing the same files does."""
    project = Project(root)
    files = _parsed(project, paths)
    # Asked before anything is linted, and the first to read all files.
    assert project.library.asks_for_devices
    linking = _seconds(lambda: linked(project, files))
    texts = [file.source.text for file in files]
    return linking / _seconds(lambda: [ast.parse(text) for text in texts])


def _parsed(project: Project, paths: Iterable[Path]) -> list[SourceFile]:
    return [file for path in paths if (file := project.parsed(path)) is not None]


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    started = time.process_time()
    work()
    taken = time.process_time() - started
    gc.enable()
    return taken


if __name__ == "__main__":
    folder = Path(sys.argv[1]).absolute()
    files = reached(folder)
    print(f"{median(ratio(folder, files) for _ in range(_ROUNDS)):.2f} x ({len(files)} files)")
