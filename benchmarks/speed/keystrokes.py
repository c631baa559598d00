"""Measure the server while a file is typed into: `python -m benchmarks.speed.keystrokes FOLDER`.

A statement is typed into the body of a function, one character after the other, in files of a project that are drawn at
random; each state is linted, as an editor shows it to whoever pauses there. What is printed are the CPU seconds from
a keystroke to the diagnostics, at the median and at the 90th percentile, and those of opening a file. With `--check`,
each state is linted anew as well, and what differs ends the run.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from time import process_time

from lsprotocol import types as lsp

from torchlint.cli.serving import planned
from torchlint.engine import lint_edited
from torchlint.report import FileReport
from torchlint.server.document import Document
from torchlint.server.documents import Documents
from torchlint.server.projects import Projects

_TYPED = ("zz = 1", "x = x.detach()", "y = helper(x)", "self.scale = 2.0", "return None")
_MOST_TRIED = 1_000


class Typist:
    """An editor in which one file after the other is opened and typed into."""

    def __init__(self, *, checks: bool) -> None:
        self.seconds: list[float] = []
        self.opening: list[float] = []
        self._checks = checks
        self._projects = Projects(planned)
        self._documents = Documents("utf-16")
        self._versions = 0

    def type_into(self, path: Path, line: str, dice: random.Random) -> None:
        """Open a file, type a statement above the last one of a function, and close it."""
        text = path.read_text("utf-8")
        number, indentation = place_in(text, dice)
        uri = path.as_uri()
        self._documents.opened(lsp.TextDocumentItem(uri, "python", 0, text))
        self.opening.append(self._linted(uri))
        before, after = text.split("\n")[:number], text.split("\n")[number:]
        for length in range(1, len(line) + 1):
            typed = "\n".join([*before, " " * indentation + line[:length], *after])
            self._versions += 1
            change = lsp.TextDocumentContentChangeWholeDocument(typed)
            identifier = lsp.VersionedTextDocumentIdentifier(self._versions, uri)
            self._documents.changed(lsp.DidChangeTextDocumentParams(identifier, [change]))
            self.seconds.append(self._linted(uri))
        self._documents.closed(uri)

    def _linted(self, uri: str) -> float:
        """Return the seconds that it takes to lint a file as it is."""
        document, documents = self._documents.at(uri), self._documents.as_they_are()
        assert document is not None
        started = process_time()
        checked = self._projects.checked(document, documents)
        self._projects.tidy()
        seconds = process_time() - started
        if self._checks and checked is not None and checked.report != _anew(document, documents):
            raise SystemExit(f"{document.path}: the server reports something else than a run without a past")
        return seconds


def _anew(document: Document, documents: Documents) -> FileReport | None:
    """Return the report of a file by a linter that knows nothing yet."""
    plan = planned(document.path)
    if plan is None:
        return None
    edited = documents.around(plan.job.root)
    job = replace(plan.job, targets=(plan.target,), named=frozenset(edited))
    reports: list[FileReport] = []
    lint_edited(job, edited, reports.append)
    return plan.counted(reports[0])


def place_in(text: str, dice: random.Random) -> tuple[int, int]:
    """Return the line above the last statement of a function, counted from 0, and its indentation."""
    functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    last = dice.choice(functions).body[-1]
    return last.lineno - 1, last.col_offset


def files_in(folder: Path, dice: random.Random) -> Iterator[Path]:
    """Yield files of a project that have functions and speak of torch, in any order."""
    paths = sorted(path for path in folder.rglob("*.py") if path.is_file())
    for path in dice.choices(paths, k=_MOST_TRIED):
        text = path.read_text("utf-8")
        if "torch" in text and "def " in text:
            yield path


def main() -> None:
    """Type into a project, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keystrokes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", action="store_true", help="compare each report with one made anew")
    options = parser.parse_args()
    dice, typist = random.Random(options.seed), Typist(checks=options.check)  # noqa: S311
    for number, path in enumerate(files_in(options.folder.resolve(), dice)):
        typist.type_into(path, _TYPED[number % len(_TYPED)], dice)
        if len(typist.seconds) >= options.keystrokes:
            break
    for what, seconds in {"keystroke": typist.seconds, "open": typist.opening}.items():
        tenths = quantiles(seconds, n=10)
        print(f"| {options.folder.name}, {what}, {len(seconds)}: CPU p50 / p90 | {tenths[4]:.2f} / {tenths[8]:.2f} s |")


if __name__ == "__main__":
    main()
