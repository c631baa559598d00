"""A parsed file: its text by places, and what the model looks up in it again and again."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.asked import Kept
from torchlint.model.guards.facts import Facts, facts_of
from torchlint.model.options.option_calls import DECLARING, destination
from torchlint.model.syntax.conditions import Condition, Iteration, conditions, conditions_inside
from torchlint.model.syntax.exits import first_leaving
from torchlint.model.syntax.index import build_index
from torchlint.model.syntax.last_names import IN_TABLE
from torchlint.model.syntax.name_reads import NameReads, attributes_in, name_reads
from torchlint.model.syntax.other_names import other_names
from torchlint.model.syntax.scope import Scope, Store
from torchlint.model.syntax.textfile import TextFile
from torchlint.model.syntax.walk import Parents, parents_within, walk, written
from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.project import Project
    from torchlint.model.values.possible import Class, Possible


class ParsedFile(TextFile):
    """A file of a project: its tree, its index, and what is looked up in them."""

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.index = build_index(tree)
        """Where everything is in the file."""
        self.project = project
        self.location = location
        self.plain: dict[str, Kept[Possible | None]] = {}
        """What the names of the file are for good, None for those that it takes a question to tell."""
        self.families: dict[Scope, Kept[tuple[Class | str, ...] | None]] = {}
        """The families of the classes of the file, None for those that it takes a question to tell."""
        self.unmoving: dict[Scope, Kept[bool]] = {}
        """Whether the modules of classes of the file move nothing that they are given."""
        self._facts: dict[ast.stmt, Facts] = {}
        self._texts: dict[ast.expr, frozenset[str]] = {}
        self._reads: dict[ast.AST, Mapping[str, NameReads]] = {}
        self._attributes: dict[ast.AST, frozenset[str]] = {}
        self._keywords: dict[ast.Call, ast.Dict] = {}
        self._parents: dict[ast.stmt, Parents] = {}
        self._conditions: dict[ast.stmt, tuple[Condition | Iteration, ...]] = {}

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
        if statement not in self._conditions:
            self._conditions[statement] = tuple(conditions(self.index, statement))
        if statement not in self.index.deciding:
            return self._conditions[statement]
        inside = conditions_inside(statement, node, self.parents_in(statement))
        return (*inside, *self._conditions[statement])

    def facts_at(self, statement: ast.stmt, node: ast.expr) -> Facts:
        """Return what the conditions of a place make sure."""
        conditions_here = self.conditions_at(statement, node)
        if len(conditions_here) > len(self._conditions[statement]):
            return facts_of(conditions_here, self.index.home[statement][0].scope, self.index)
        if statement not in self._facts:
            self._facts[statement] = facts_of(conditions_here, self.index.home[statement][0].scope, self.index)
        return self._facts[statement]

    def texts_in(self, test: ast.expr) -> frozenset[str]:
        """Return the names and attributes in a test, as they are written."""
        if test not in self._texts:
            parts = (node for node in walk(test) if isinstance(node, (ast.Name, ast.Attribute)))
            self._texts[test] = frozenset(written(part) for part in parts)
        return self._texts[test]

    def reads_in(self, function: ast.AST) -> Mapping[str, NameReads]:
        """Return how a function reads its names."""
        if function not in self._reads:
            self._reads[function] = name_reads(function)
        return self._reads[function]

    def attributes_in(self, node: ast.AST) -> frozenset[str]:
        """Return the names of all attributes in a function, or in the file."""
        if node not in self._attributes:
            self._attributes[node] = attributes_in(node)
        return self._attributes[node]

    def parents_in(self, statement: ast.stmt) -> Parents:
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

    def keywords_of(self, call: ast.Call) -> ast.Dict:
        """Return what a call passes by name, as if it were written as a dict."""
        if call not in self._keywords:
            written = ast.Dict([], [word.value for word in call.keywords])
            for word in call.keywords:
                written.keys.append(ast.copy_location(ast.Constant(word.arg), call) if word.arg else None)
            self._keywords[call] = ast.copy_location(written, call)
        return self._keywords[call]

    def walruses_in(self, statement: ast.stmt) -> list[ast.NamedExpr]:
        """Return the `:=` of a statement."""
        return self._walruses.get(statement, [])

    @cached_property
    def _mentions(self) -> dict[str, list[tuple[ast.Call, ast.expr, ast.stmt]]]:
        found: dict[str, list[tuple[ast.Call, ast.expr, ast.stmt]]] = defaultdict(list)
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
        for pair in self.index.expressions(ast.Call):
            found[self.index.home[pair[1]][0].scope].append(pair)
        for calls in found.values():
            calls.sort(key=lambda pair: (pair[0].lineno, pair[0].col_offset))
        return found

    def calls_in_scope(self, scope: Scope) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls that a function or file makes itself, in source order."""
        return self._calls_by_scope.get(scope, [])

    @cached_property
    def _operations_by_scope(self) -> dict[Scope, list[tuple[ast.expr, ast.stmt]]]:
        found: dict[Scope, list[tuple[ast.expr, ast.stmt]]] = defaultdict(list)
        for kind in (ast.Call, ast.BinOp, ast.Compare, ast.Subscript):
            for pair in self.index.expressions(kind):
                found[self.index.home[pair[1]][0].scope].append(pair)
        for operations in found.values():
            operations.sort(key=lambda pair: (pair[0].lineno, pair[0].end_lineno or 0, pair[0].end_col_offset or 0))
        return found

    def operations_in_scope(self, scope: Scope) -> list[tuple[ast.expr, ast.stmt]]:
        """Return the calls, operators, comparisons and subscripts of a function or file, inner ones first."""
        return self._operations_by_scope.get(scope, [])

    @cached_property
    def options(self) -> dict[str, list[tuple[ast.Call, ast.stmt]]]:
        """Return the calls that declare options of the command line, by the attribute that each ends up in."""
        found = defaultdict(list)
        for name in DECLARING:
            for call, statement in self.index.calls(name):
                found[destination(call)].append((call, statement))
        return found

    @cached_property
    def _item_stores(self) -> dict[tuple[Scope, str], list[Store]]:
        found = defaultdict(list)
        for store in self.index.stores:
            if not isinstance(store.key, str):
                scope = self.index.home[store.statement][0].scope
                name = written(store.target)
                found[scope, name].append(store)
                if "." in name and scope.outer is not None and scope.is_method:
                    found[scope.outer, name].append(store)
        return found

    def item_stores(self, scope: Scope, container: str) -> list[Store]:
        """Return the `container[…] = …` of a scope; those of attributes in its methods are a class's own as well."""
        return self._item_stores.get((scope, container), [])

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

    @cached_property
    def _attribute_reads(self) -> dict[str, list[tuple[ast.Attribute, ast.stmt]]]:
        found = defaultdict(list)
        for pair in self.index.attributes():
            if isinstance(pair[0].ctx, ast.Load):
                found[pair[0].attr].append(pair)
        return found

    def attribute_reads(self, name: str) -> list[tuple[ast.Attribute, ast.stmt]]:
        """Return where attributes of that name are read."""
        return self._attribute_reads.get(name, []) if f".{name}" in self.source.text else []

    @cached_property
    def unwrapped(self) -> frozenset[str]:
        """Return what has its `.module` taken somewhere in the file, as it is written."""
        if ".module" not in self.source.text:
            return frozenset()
        nodes = (node for node in walk(self.tree) if isinstance(node, ast.Attribute) and node.attr == "module")
        return frozenset(written(node.value) for node in nodes)

    def all_attribute_reads(self) -> list[tuple[ast.Attribute, ast.stmt]]:
        """Return where attributes are read, in source order."""
        found = [pair for pairs in self._attribute_reads.values() for pair in pairs]
        return sorted(found, key=lambda pair: (pair[0].end_lineno or 0, pair[0].end_col_offset or 0))
