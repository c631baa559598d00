"""A file of a project: what its names are for good, what lies behind its statements, which options it declares."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.asked import Kept
from torchlint.model.guards.behind import BehindStatements
from torchlint.model.guards.facts import Facts, facts_of
from torchlint.model.options.option_calls import DECLARING, destination
from torchlint.model.syntax.conditions import Condition, Iteration, conditions_inside
from torchlint.model.syntax.exits import first_leaving
from torchlint.model.syntax.indexedfile import IndexedFile
from torchlint.model.syntax.last_names import IN_TABLE
from torchlint.model.syntax.other_names import other_names
from torchlint.model.syntax.scope import Scope
from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.project import Project
    from torchlint.model.values.possible import Class, Possible


class ParsedFile(IndexedFile):
    """An indexed file that knows its project."""

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.index.steps = project.library.steps
        self.project = project
        self.location = location
        self.plain: dict[str, Kept[Possible | None]] = {}
        """What the names of the file are for good, None for those that it takes a question to tell."""
        self.families: dict[Scope, Kept[tuple[Class | str, ...] | None]] = {}
        """The families of the classes of the file, None for those that it takes a question to tell."""
        self.unmoving: dict[Scope, Kept[bool]] = {}
        """Whether the modules of classes of the file move nothing that they are given."""
        self._behind = BehindStatements(self.index, self.texts_in)

    @property
    def is_package(self) -> bool:
        """Tell whether the file is the `__init__.py` of a package."""
        return self.location.name == "__init__.py"

    @property
    def words(self) -> frozenset[str]:
        """Return the names by which another file can import this one: its own and those of its packages."""
        names = set() if self.is_package else {self.location.stem}
        folder = self.location.parent
        while self.project.library.is_package(folder):
            names.add(folder.name)
            folder = folder.parent
        return frozenset(names)

    @cached_property
    def indentation(self) -> str:
        """Return what the file indents a block by."""
        starts = (self.line(statement.lineno) for statement in self.index.home)
        indents = {line[: len(line) - len(line.lstrip())] for line in starts} - {""}
        return min(indents, key=len, default="    ")

    def binds_plainly(self, statement: ast.stmt) -> bool:
        """Tell whether a statement of the file itself runs whenever the file is loaded."""
        return self.index.home[statement][0].owner is None and first_leaving(self.tree.body, self.index) is None

    def conditions_at(self, statement: ast.stmt, node: ast.expr) -> tuple[Condition | Iteration, ...]:
        """Return what a place has behind it, innermost first."""
        around = self._behind.at(statement).conditions
        if statement not in self.index.deciding:
            return around
        inside = tuple(conditions_inside(statement, node, self.parents_in(statement)))
        return (*inside, *around) if inside else around

    def tests_saying(self, statement: ast.stmt, node: ast.expr, text: str) -> Iterator[Condition]:
        """Yield the tests behind a place that have a name or attribute in them, as it is written, innermost first."""
        if statement in self.index.deciding:
            inside = conditions_inside(statement, node, self.parents_in(statement))
            yield from (one for one in inside if isinstance(one, Condition) and text in self.texts_in(one.test))
        yield from self._behind.tests_saying(statement, text)

    def facts_at(self, statement: ast.stmt, node: ast.expr) -> Facts:
        """Return what the conditions of a place make sure."""
        behind = self._behind.at(statement)
        conditions_here = self.conditions_at(statement, node)
        if conditions_here is behind.conditions:
            return behind.facts
        return facts_of(conditions_here, self.index.home[statement][0].scope, self.index)

    @cached_property
    def options(self) -> dict[str, list[tuple[ast.Call, ast.stmt]]]:
        """Return the calls that declare options of the command line, by the attribute that each ends up in."""
        found = defaultdict(list)
        for name in DECLARING:
            for call, statement in self.index.calls(name):
                found[destination(call)].append((call, statement))
        return found

    def words_for(self, names: Iterable[str]) -> frozenset[str]:
        """Return by which last names things with these full names are called in the file, other names included."""
        words = {name.rpartition(".")[2] for name in names}
        return frozenset(words.union(*(self._other_names.get(word, ()) for word in words)))

    def words_of(self, name: str) -> tuple[str, ...]:
        """Return by which last names a thing is called in the file, taken out of a table or not, in order."""
        if name not in self._other_names:
            return (name,)
        names = self._other_names[name]
        taken = (one for table in names if table.endswith(IN_TABLE) for one in self._other_names.get(table, ()))
        return tuple(sorted({name, *names, *taken}))

    @cached_property
    def _other_names(self) -> Mapping[str, set[str]]:
        return other_names(self.index)
