"""A parsed file and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.finding import Span
from torchlint.model.argparse_calls import destination
from torchlint.model.conditions import Condition, Iteration, conditions, conditions_inside
from torchlint.model.evaluation import every_evaluated_batch
from torchlint.model.facts import Facts, facts_of
from torchlint.model.hardcoded import CudaDemand, cuda_demands
from torchlint.model.index import Index, build_index
from torchlint.model.keeping import KeptGraph, kept_graphs
from torchlint.model.place import Place
from torchlint.model.reads import WaitKind, reads
from torchlint.model.saves import WrappedSave
from torchlint.model.scope import Scope, Store
from torchlint.model.walk import parents_within
from torchlint.model.steps import Story
from torchlint.model.torch_facts import canonical
from torchlint.model.values import Imported
from torchlint.model.waiting import Wait, wait_of
from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITHOUT_CUDA
from torchlint.model.wrapping_calls import MisplacedModule, misplaced_modules
from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.project import Project


class SourceFile:
    """A parsed file of a project."""

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        self.project = project
        self.location = location
        self.source = source
        self.tree = tree
        self._facts: dict[ast.stmt, Facts] = {}
        self._texts: dict[ast.expr, frozenset[str]] = {}
        self._parents: dict[ast.stmt, dict[ast.AST, ast.AST]] = {}
        self._conditions: dict[ast.stmt, tuple[Condition | Iteration, ...]] = {}

    @property
    def path(self) -> str:
        """Return the path as torchlint prints it: POSIX, relative to where it ran."""
        return self.source.path

    @property
    def is_package(self) -> bool:
        """Tell whether the file is the `__init__.py` of a package."""
        return self.location.name == "__init__.py"

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the names by which another file can import this one: its own and those of its packages."""
        names = set() if self.is_package else {self.location.stem}
        folder = self.location.parent
        while (folder / "__init__.py").is_file():
            names.add(folder.name)
            folder = folder.parent
        return frozenset(names)

    @cached_property
    def index(self) -> Index:
        """Return where everything is in the file."""
        return build_index(self.tree)

    @cached_property
    def _lines(self) -> list[str]:
        return self.source.text.split("\n")

    def cuda_demands(self) -> Iterator[CudaDemand]:
        """Yield the places that ask for CUDA with nothing to keep them from machines that have none."""
        return cuda_demands(self.project.evaluator(WITHOUT_CUDA), self)

    def span_of(self, node: ast.expr | ast.stmt) -> Span:
        """Return where a node stands, in code points."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or node.col_offset),
        )

    def _column(self, line: int, offset: int) -> int:
        """Turn CPython's offset in UTF-8 bytes into a column of code points, from 1."""
        text = self._lines[line - 1]
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode("utf-8", "replace")) + 1

    def waits_every_step(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every training step, with the way to each."""
        return self._waits(kind, self.every_step) if self in self.project.training.files else iter(())

    def waits_every_batch(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every batch of an evaluation."""
        return self._waits(kind, self.every_evaluated_batch)

    def _waits(self, kind: WaitKind, when: Callable[[Place], Story | None]) -> Iterator[tuple[Wait, Story]]:
        """Yield the waits among the reads that run when asked for; where a read runs is cheaper to say than what it is."""
        if not self.project.library.asks_for_devices:
            return
        found: set[tuple[str, int, int, int, int]] = set()
        for read in reads(self, kind):
            if read.place.key in found or (story := when(read.place)) is None:
                continue
            if (wait := wait_of(self.project.evaluator(ANYWHERE), read, kind)) is not None:
                found.add(read.place.key)
                yield wait, story

    def calls(self, *names: str) -> Iterator[Place]:
        """Yield the calls of these functions or classes outside the project, by their full names, in source order."""
        ev = self.project.evaluator(ANYWHERE)
        for name in sorted({name.rpartition(".")[2] for name in names}):
            for call, statement in self.index.calls(name):
                place = Place(self, call, statement)
                if any(isinstance(one.value, Imported) and canonical(one.value.name) in names for one in ev.evaluate(place.at(call.func))):
                    yield place

    def kept_graphs(self) -> Iterator[KeptGraph]:
        """Yield where graphs are kept step after step."""
        return kept_graphs(self.project.evaluator(ANYWHERE), self.project.training, self)

    def every_evaluated_batch(self, place: Place) -> Story | None:
        """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
        return every_evaluated_batch(self.project.evaluator(ANYWHERE), self.project.training, place)

    def every_step(self, place: Place) -> Story | None:
        """Return the way from a training loop to a place that runs with every step, or None where none does."""
        return self.project.training.every_step(place)

    def wrapped_saves(self) -> Iterator[WrappedSave]:
        """Yield the state dicts taken from wrappers in this file that are saved, here or elsewhere in the project."""
        return iter(self.project.wrapped_saves.get(self.path, ()))

    def misplaced_modules(self) -> Iterator[MisplacedModule]:
        """Yield the wrapping calls whose module provably is on another GPU than the wrapper starts from."""
        return misplaced_modules(self.project.evaluator(WITH_CUDA), self)

    def holds_text(self, text: str) -> bool:
        """Tell whether the file has a string that is exactly this."""
        return text in self.source.text and any(
            isinstance(node, ast.Constant) and node.value == text for node in ast.walk(self.tree)
        )

    def header(self, loop: ast.For | ast.AsyncFor | ast.While) -> Place:
        """Return the place that stands for a loop: what it iterates over, or its test."""
        return Place(self, loop.test if isinstance(loop, ast.While) else loop.iter, loop)

    def name_of(self, scope: Scope) -> Place:
        """Return the place that stands for a function: its name."""
        assert isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        node = scope.node
        start = node.col_offset + len("async def " if isinstance(node, ast.AsyncFunctionDef) else "def ")
        end = start + len(node.name.encode())
        name = ast.Name(node.name, ast.Load(), lineno=node.lineno, col_offset=start, end_lineno=node.lineno, end_col_offset=end)
        return Place(self, name, node)

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return a node as it is written."""
        span = self.span_of(node)
        if span.line == span.end_line:
            return self._lines[span.line - 1][span.column - 1 : span.end_column - 1]
        first, *between, last = self._lines[span.line - 1 : span.end_line]
        return "\n".join([first[span.column - 1 :], *between, last[: span.end_column - 1]])

    def conditions_at(self, statement: ast.stmt, node: ast.expr) -> tuple[Condition | Iteration, ...]:
        """Return what a place has behind it, innermost first."""
        if statement not in self._conditions:
            self._conditions[statement] = tuple(conditions(self.index, statement))
        inside = conditions_inside(statement, node, self.parents_in(statement))
        return (*inside, *self._conditions[statement])

    def facts_at(self, statement: ast.stmt, node: ast.expr) -> Facts:
        """Return what the conditions of a place make sure."""
        conditions_here = self.conditions_at(statement, node)
        if len(conditions_here) > len(self._conditions[statement]):
            return facts_of(conditions_here, self.index.home[statement][0].scope)
        if statement not in self._facts:
            self._facts[statement] = facts_of(conditions_here, self.index.home[statement][0].scope)
        return self._facts[statement]

    def texts_in(self, test: ast.expr) -> frozenset[str]:
        """Return the names and attributes in a test, as they are written."""
        if test not in self._texts:
            parts = (node for node in ast.walk(test) if isinstance(node, (ast.Name, ast.Attribute)))
            self._texts[test] = frozenset(ast.unparse(part) for part in parts)
        return self._texts[test]

    def parents_in(self, statement: ast.stmt) -> dict[ast.AST, ast.AST]:
        """Return the parent of every expression of a statement."""
        if statement not in self._parents:
            self._parents[statement] = parents_within(statement)
        return self._parents[statement]

    @cached_property
    def _walruses(self) -> dict[ast.stmt, list[ast.NamedExpr]]:
        found = defaultdict(list)
        for walrus, statement in self.index.expressions(ast.NamedExpr):
            found[statement].append(walrus)
        return found

    def walruses_in(self, statement: ast.stmt) -> list[ast.NamedExpr]:
        """Return the `:=` of a statement."""
        return self._walruses.get(statement, [])

    @cached_property
    def _mentions(self) -> dict[str, list[tuple[ast.Call, ast.expr, ast.stmt]]]:
        found = defaultdict(list)
        for call, statement in self.index.expressions(ast.Call):
            for argument in (*call.args, *(word.value for word in call.keywords)):
                match argument:
                    case ast.Name(id=name) | ast.Attribute(attr=name):
                        found[name].append((call, argument, statement))
        return found

    def mentions(self, name: str) -> list[tuple[ast.Call, ast.expr, ast.stmt]]:
        """Return the calls that something called `name` is passed to, with the argument."""
        return self._mentions.get(name, [])

    @cached_property
    def _calls_by_scope(self) -> dict[Scope, list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for call, statement in self.index.expressions(ast.Call):
            found[self.index.home[statement][0].scope].append((call, statement))
        for calls in found.values():
            calls.sort(key=lambda pair: (pair[0].lineno, pair[0].col_offset))
        return found

    def calls_in_scope(self, scope: Scope) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls that a function or file makes itself, in source order."""
        return self._calls_by_scope.get(scope, [])

    @cached_property
    def options(self) -> dict[str, list[tuple[ast.Call, ast.stmt]]]:
        """Return the calls that declare options of the command line, by the attribute that each ends up in."""
        found = defaultdict(list)
        for call, statement in self.index.calls("add_argument"):
            found[destination(call)].append((call, statement))
        return found

    @cached_property
    def _item_stores(self) -> dict[tuple[Scope, str], list[Store]]:
        found = defaultdict(list)
        for store in self.index.stores:
            if not isinstance(store.key, str):
                scope = self.index.home[store.statement][0].scope
                found[scope, ast.unparse(store.target)].append(store)
        return found

    def item_stores(self, scope: Scope, container: str) -> list[Store]:
        """Return the `container[…] = …` of a scope."""
        return self._item_stores.get((scope, container), [])

