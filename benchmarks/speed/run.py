"""Measure what torchlint takes on real code, beside what others take: `python -m benchmarks.speed.run`."""

from __future__ import annotations

import argparse
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.measure import Program, in_turn, middle, ratio, taken
from benchmarks.speed.packages import PINNED, fetched

_CHECKOUT = Path(__file__).parents[2]
_TORCHLINT = [sys.executable, "-m", "torchlint", "--isolated", "--output-format", "concise"]
_COLD = [*_TORCHLINT, "--no-cache", "--jobs"]
_CLEAN = "import torch\n\n\n" + "def double(x):\n    return x + x\n\n\n" * 24 + "x = torch.ones(3)\n"
_FOUND = _CLEAN + 'y = torch.ones(3, device="cuda")\n'


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the packages are, where there is room for copies of them, and how often everything is done."""

    packages: dict[str, Path]
    scratch: Path
    rounds: int

    def program(self, *command: str, cwd: Path | None = None) -> Program:
        """Return torchlint's own kind of program: Python that finds this checkout, compiled as pip would leave it."""
        environment = {
            "PYTHONPATH": str(_CHECKOUT),
            "PYTHONPYCACHEPREFIX": str(self.scratch / "compiled"),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        return Program(command, cwd or self.scratch, environment=environment)

    def compile(self) -> None:
        """Compile torchlint and its rules, so that nobody measures how long that takes."""
        folders = [str(_CHECKOUT / folder) for folder in ("torchlint", "rules")]
        taken(self.program(sys.executable, "-m", "compileall", "-q", *folders))

    def copied(self, package: str, name: str) -> Path:
        """Return a copy of a package that may be changed, in a project of its own."""
        place = self.scratch / name
        if not place.exists():
            shutil.copytree(self.packages[package], place / package)
            (place / ".git").mkdir()
        return place


def cold(bench: Bench, names: Iterable[str]) -> Iterator[str]:
    """Measure linting anew, all default rules, one process."""
    for name in names:
        path = str(bench.packages[name])
        programs = {
            "torchlint": bench.program(*_COLD, "1", path),
            "parse": bench.program(sys.executable, "-m", "benchmarks.speed.parse", path),
            "ruff": Program(
                [_tool("ruff"), "check", "--select", "F", "--no-cache", "--isolated", path],
                bench.scratch,
                environment={"RAYON_NUM_THREADS": "1"},
            ),
        }
        found = in_turn(programs, bench.rounds)
        seconds, peak = middle(found["torchlint"], "cpu"), middle(found["torchlint"], "peak")
        yield f"cold, {name}: CPU against `ast.parse` | {ratio(found, 'torchlint', 'parse'):.1f} x ({seconds:.1f} s)"
        yield f"cold, {name}: CPU against `ruff check --select F` | {ratio(found, 'torchlint', 'ruff'):.0f} x"
        yield f"peak memory, {name}, one process | {peak:.0f} MB"


def link(bench: Bench, names: Iterable[str]) -> Iterator[str]:
    """Measure what it takes to know which files the imports name."""
    for name in names:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.link", str(bench.packages[name])]
        environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
        ran = subprocess.run(command, cwd=bench.scratch, env=environment, capture_output=True, text=True, check=True)
        yield f"linking, {name}: CPU against `ast.parse` | {ran.stdout.strip()}"


def against_torchfix(bench: Bench) -> Iterator[str]:
    """Measure linting anew beside TorchFix, which has an environment of its own: it pins an old LibCST."""
    place = bench.scratch / "torchfix"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    installed = subprocess.run([place / "bin" / "pip", "install", "--quiet", "torchfix==0.7.0"], check=False)
    if installed.returncode:
        yield "against TorchFix 0.7.0 | not measured: it cannot be installed here"
        return
    path = str(bench.packages["timm"])
    other = Program([str(place / "bin" / "torchfix"), "--select", "ALL", path], bench.scratch)
    found = in_turn({"torchlint": bench.program(*_COLD, "1", path), "torchfix": other}, 1)
    yield f"against TorchFix 0.7.0, timm: CPU | {ratio(found, 'torchfix', 'torchlint'):.0f} x faster"


def workers(bench: Bench, name: str) -> Iterator[str]:
    """Measure two processes against one."""
    path = str(bench.packages[name])
    found = in_turn({jobs: bench.program(*_COLD, jobs, path) for jobs in "12"}, bench.rounds)
    yield f"two workers against one, {name}: wall | {ratio(found, '1', '2', 'wall'):.2f} x faster"


def warm(bench: Bench, name: str, changed: str) -> Iterator[str]:
    """Measure a run after which nothing changed, and those after which one file did: what it says, or only how."""
    project = bench.copied(name, f"warm-{name}")
    again = bench.program(*_TORCHLINT, ".", cwd=project)

    def adding(line: str) -> Callable[[], None]:
        def add() -> None:
            with (project / name / changed).open("a") as file:
                file.write(f"{line}\n")

        return add

    taken(again)
    # Dates that are younger than two seconds are not trusted, and what holds for them is looked at once more.
    subprocess.run(["sleep", "3"], check=True)  # noqa: S607
    taken(again)
    files = len(list(project.rglob("*.py")))
    found = in_turn({"nothing": again}, 2 * bench.rounds + 1)["nothing"]
    yield f"warm, {name}, {files} files: wall | {middle(found):.2f} s ({middle(found, 'cpu'):.2f} s CPU)"
    for what, line in {"a comment": "# a word more", "a statement": "A_WORD_MORE = 1"}.items():
        edited = Program(again.command, project, adding(line), again.environment)
        found = in_turn({what: edited}, bench.rounds)[what]
        yield f"warm, {name}, {what} in {changed}: wall | {middle(found):.2f} s ({middle(found, 'cpu'):.2f} s CPU)"


def start(bench: Bench) -> Iterator[str]:
    """Measure what every run costs."""
    alone, beside = bench.scratch / "alone", bench.scratch / "beside"
    for project in (alone, beside):
        (project / ".git").mkdir(parents=True)
        (project / "clean.py").write_text(_CLEAN)
    (beside / "found.py").write_text(_FOUND)
    programs = {
        "`python -c pass`": bench.program(sys.executable, "-c", "pass"),
        "one clean 100-line file, anew": bench.program(*_COLD, "0", "clean.py", cwd=alone),
        "one clean 100-line file, again": bench.program(*_TORCHLINT, "clean.py", cwd=alone),
        "the same beside one that asks for CUDA, anew": bench.program(*_COLD, "0", "clean.py", cwd=beside),
        "one 100-line file with a finding, anew": bench.program(*_COLD, "0", "found.py", cwd=beside),
        "`--version`": bench.program(sys.executable, "-m", "torchlint", "--version"),
        "`explain`": bench.program(sys.executable, "-m", "torchlint", "explain", "kept-graph"),
    }
    for name, found in in_turn(programs, 5 * bench.rounds).items():
        yield f"{name}: wall | {middle(found):.3f} s ({middle(found, 'cpu'):.3f} s CPU)"


def growth(bench: Bench, name: str, copies: Sequence[int] = (1, 3, 9)) -> Iterator[str]:
    """Measure how the cost grows when a project does: copies of a package side by side."""
    costs = []
    for number in copies:
        project = bench.scratch / f"grown-{number}"
        for copy in range(number):
            shutil.copytree(bench.packages[name], project / f"part{copy}")
        found = in_turn({"all": bench.program(*_COLD, "1", str(project))}, bench.rounds)
        costs.append((len(list(project.rglob("*.py"))), middle(found["all"], "cpu")))
    (few, cheap), (many, dear) = costs[0], costs[-1]
    exponent = math.log(dear / cheap) / math.log(many / few)
    yield f"growth, {name}, {few} to {many} files: exponent of CPU | {exponent:.2f}"


def rule(bench: Bench, name: str) -> Iterator[str]:
    """Measure a rule that never fires."""
    command = [sys.executable, "-m", "benchmarks.speed.never", str(bench.packages[name])]
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
    ran = subprocess.run(command, cwd=bench.scratch, env=environment, capture_output=True, text=True, check=True)
    yield f"a rule more that never fires, {name}: CPU | {100 * float(ran.stdout):+.1f} %"


def _tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def main() -> None:
    """Measure what is asked for, and print the rows of a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, default=Path.home() / ".cache" / "torchlint-benchmarks")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", default="transformers", choices=PINNED, help="what is linted where size matters")
    parser.add_argument("--small", default="timm", choices=PINNED, help="what is linted where it does not")
    parser.add_argument("--changed", default="models/bert/configuration_bert.py", help="a file of the large one")
    parser.add_argument(
        "rows", nargs="*", default=["start", "warm", "cold", "link", "workers", "growth", "rule", "torchfix"]
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(fetched(options.packages), Path(scratch), options.rounds)
        rows = {
            "start": lambda: start(bench),
            "warm": lambda: warm(bench, options.large, options.changed),
            "cold": lambda: cold(bench, dict.fromkeys([options.small, options.large])),
            "link": lambda: link(bench, dict.fromkeys([options.small, options.large])),
            "workers": lambda: workers(bench, options.large),
            "growth": lambda: growth(bench, options.small),
            "rule": lambda: rule(bench, options.small),
            "torchfix": lambda: against_torchfix(bench),
        }
        bench.compile()
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}", flush=True)
        for name in options.rows:
            for row in rows[name]():
                print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
