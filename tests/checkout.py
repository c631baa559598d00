"""A small project on disk, and ways to point into it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Concatenate, ParamSpec, TypeVar

from torchlint.finding import Finding
from torchlint.model import Literal, Place, Project, SourceFile
from torchlint.model.interface import Evaluator
from torchlint.model.training.call_paths import Story
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Value
from torchlint.model.worlds import ANYWHERE, World
from torchlint.registry import builtin_rules
from torchlint.syntax.walk import parents_within

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files of a project, written below one root."""

    root: Path
    project: Project

    def file(self, name: str = "main.py") -> SourceFile:
        """Open a file to be linted."""
        return self.project.open(self.root / name, name)

    def place(self, text: str, name: str = "main.py", mark: str = "") -> Place:
        """Return the only expression with a text, on a line that ends with the mark if one is given."""
        file = self.file(name)
        lines = file.source.text.split("\n")
        found = [
            Place(file, node, statement)
            for statement in file.index.home
            for node in parents_within(statement)
            if isinstance(node, ast.expr)
            and not isinstance(getattr(node, "ctx", None), ast.Store)
            and file.text_of(node) == text
            and (not mark or lines[node.lineno - 1].endswith(f"# {mark}"))
        ]
        assert len(found) == 1, f"{len(found)} places read {text}"
        return found[0]

    def values(self, text: str, name: str = "main.py", mark: str = "", world: World = ANYWHERE) -> list[Value]:
        """Return what an expression may be, in the order in which the model says it."""
        return [one.value for one in self.place(text, name, mark).possibilities(world)]

    def literals(self, text: str, name: str = "main.py", mark: str = "", world: World = ANYWHERE) -> list[object]:
        """Return the constants that an expression may be, sorted; anything else as its type's name."""
        values = self.values(text, name, mark, world)
        found = [one.value if isinstance(one, Literal) else type(one).__name__ for one in values]
        return sorted(found, key=repr)

    def findings(self, rule: str, name: str = "main.py") -> list[Finding]:
        """Lint one file by one rule."""
        return sorted(builtin_rules()[rule]().check(self.file(name)), key=lambda finding: finding.order)

    def reported(self, rule: str, name: str = "main.py") -> list[str]:
        """Return the lines that a rule reports in a file, without their indentation and comments."""
        lines = self.file(name).source.text.split("\n")
        return [lines[finding.span.line - 1].partition("#")[0].strip() for finding in self.findings(rule, name)]

    def trace(self, rule: str, name: str = "main.py") -> list[tuple[str, str, str]]:
        """Return the way to the only finding of a rule in a file: path, line as written, words."""
        (finding,) = self.findings(rule, name)
        return [(step.path, self._line(step.path, step.span.line), step.words) for step in finding.trace]

    def _line(self, path: str, line: int) -> str:
        absolute = Path(path) if Path(path).is_absolute() else self.root / path
        return absolute.read_text().split("\n")[line - 1].partition("#")[0].strip()


def check_out(root: Path, files: dict[str, str], below: str = "") -> Checkout:
    """Write files and open the project around them; `below` is where torchlint runs when it is not the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return Checkout(root, Project(root / below))


def every_step(place: Place) -> Story | None:
    """Return the way from a training loop to a place if it runs with every step, else None."""
    return step_loops_of(place.file.project).every_step(place)


def asked(
    question: Callable[Concatenate[Evaluator, SourceFile, _Given], _Found],
    file: SourceFile,
    world: World = ANYWHERE,
    *given: _Given.args,
    **words: _Given.kwargs,
) -> _Found:
    """Return what a question finds in a file, on some kind of machine."""
    return question(file.evaluator(world), file, *given, **words)
