"""Count what one edit makes a warm run lint again: `python -m benchmarks.speed.edits FOLDER`.

A statement is inserted above the last one of a function, in files of a copy of a project that are drawn at random.
Printed are the reports that a run of the whole project makes anew, for which nothing is linted: the cache knows. Some
of the edits are linted as well, for the CPU seconds of such a run, against those of one without a cache, and of a run
with that file alone, as `pre-commit` names it. With `--check`, each edit stays, and the reports of a run with the cache
of the one before are compared with those of a run without a cache.
"""

from __future__ import annotations

import argparse
import gc
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import process_time

from benchmarks.speed.keystrokes import files_in, place_in
from torchlint.cache import Folder, lint_cached
from torchlint.cache.job_cache import JobCache
from torchlint.cli.configs import Configs
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import planned
from torchlint.engine import Job
from torchlint.report import FileReport

_STATEMENT = "zz = 1"
_CHECKED = (
    _STATEMENT,
    "x = x.detach()",
    "y = helper(x)",
    "self.scale = 2.0",
    "return None",
    "loss.backward()",
    "optimizer.step()",
    "agent.train()",
    "for _ in range(3): pass",
)


def _jobs(path: Path, kept: Path) -> list[tuple[Job, Folder]]:
    options = LintOptions(paths=(str(path),), isolated=True)
    return [(job, Folder(kept)) for job in planned([path], Configs(options)).jobs]


def _reports(path: Path, kept: Path) -> list[FileReport]:
    reports: list[FileReport] = []
    lint_cached(_jobs(path, kept), 1, reports.append)
    return sorted(reports, key=lambda report: report.path)


def _check(folder: Path, rounds: int, dice: random.Random) -> None:
    """Edit a copy of a project again and again; a report that differs from that of a run without a cache ends this."""
    with tempfile.TemporaryDirectory() as scratch:
        root, kept = Path(scratch).resolve() / folder.name, Path(scratch, "kept")
        shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".git", ".torchlint_cache"))
        (root / ".git").mkdir()
        _reports(root, kept)
        for number, path in zip(range(rounds), files_in(root, dice), strict=False):
            text = path.read_text("utf-8")
            line, indentation = place_in(text, dice)
            lines = text.split("\n")
            lines.insert(line, " " * indentation + dice.choice(_CHECKED))
            path.write_text("\n".join(lines), "utf-8")
            if _reports(root, kept) != _reports(root, Path(scratch, f"cold{number}")):
                raise SystemExit(f"{path}: a run with a cache reports something else after line {line + 1}")
            shutil.rmtree(Path(scratch, f"cold{number}"))
            # Models are cycles, and none is collected while something is linted.
            gc.collect()
    print(f"| {folder.name}, edits after which the reports were those of a cold run | {rounds} of {rounds} |")


def _seconds(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started


@contextmanager
def _edited(path: Path, dice: random.Random) -> Iterator[None]:
    """Insert a statement into a function of a file, as long as the context is open."""
    data = path.read_bytes()
    text = data.decode()
    number, indentation = place_in(text, dice)
    lines = text.split("\n")
    lines.insert(number, " " * indentation + _STATEMENT)
    path.write_text("\n".join(lines), "utf-8")
    try:
        yield
    finally:
        path.write_bytes(data)


class Project:
    """A copy of a project, whose cache is that of its first state."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.root = scratch / folder.name
        shutil.copytree(folder, self.root, ignore=shutil.ignore_patterns(".git", ".torchlint_cache"))
        (self.root / ".git").mkdir()
        self._kept, self._used = scratch / "kept", scratch / "used"
        self.cold = _seconds(lambda: lint_cached(_jobs(self.root, self._kept), 1, lambda _: None))

    def anew(self) -> int:
        """Return how many reports a run would make anew."""
        caches = [JobCache(job, folder) for job, folder in _jobs(self.root, self._kept)]
        known = sum(1 for cache in caches for _ in cache.standing())
        return sum(len(job.targets) for job, _ in _jobs(self.root, self._kept)) - known

    def warm(self, path: Path) -> float:
        """Return the seconds of a run over a path, with the cache of the first state."""
        shutil.rmtree(self._used, ignore_errors=True)
        shutil.copytree(self._kept, self._used)
        return _seconds(lambda: lint_cached(_jobs(path, self._used), 1, lambda _: None))


def main() -> None:
    """Edit a copy of a project, and print what would be linted again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--linted", type=int, default=5, help="how many of the edits are linted as well")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", type=int, default=0, help="so many edits, each compared with a run without a cache")
    options = parser.parse_args()
    dice = random.Random(options.seed)  # noqa: S311
    if options.check:
        _check(options.folder.resolve(), options.check, dice)
        return
    counts: list[int] = []
    whole: list[float] = []
    alone: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        project = Project(options.folder.resolve(), Path(scratch).resolve())
        for path, _ in zip(files_in(project.root, dice), range(options.edits), strict=False):
            with _edited(path, dice):
                counts.append(project.anew())
                if len(whole) < options.linted:
                    whole.append(project.warm(project.root))
                    alone.append(project.warm(path))
    name, quarters = options.folder.name, quantiles(counts, n=4)
    print(f"| {name}, reports made anew after an edit, quartiles | {' / '.join(f'{one:.0f}' for one in quarters)} |")
    print(f"| {name}, CPU of that run against a cold one | {median(whole) / project.cold:.2f} ({project.cold:.1f} s) |")
    print(f"| {name}, CPU of a run with that file alone | {median(alone):.2f} s |")


if __name__ == "__main__":
    main()
