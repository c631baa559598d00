"""A file with what is looked up in its tree: where its reads and stores are, by name and by scope."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from torchlint.source import Source
from torchlint.syntax.assigned import Assignment, assignments_by_target
from torchlint.syntax.calledfile import CalledFile
from torchlint.syntax.last_names import last_name
from torchlint.syntax.name_reads import NameReads, attributes_in, name_reads
from torchlint.syntax.reads_by_scope import ReadsByScope
from torchlint.syntax.said_names import SaidNames
from torchlint.syntax.scope import Scope
from torchlint.syntax.store_lookup import StoreLookup
from torchlint.syntax.walk import Parents, parents_within, walk, written

_ASKING = ("isinstance", "hasattr", "type")


class IndexedFile(CalledFile):
    """A file, its tree, its index, and lookups in them."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._texts: dict[ast.expr, frozenset[str]] = {}
        self._reads: dict[ast.AST, Mapping[str, NameReads]] = {}
        self._attributes: dict[ast.AST, frozenset[str]] = {}
        self._keywords: dict[ast.Call, ast.Dict] = {}
        self._unions: dict[ast.BinOp | ast.AugAssign, ast.Dict] = {}
        self._parents: dict[ast.stmt, Parents] = {}

    @cached_property
    def indentation(self) -> str:
        """Return what the file indents a block by."""
        starts = (self.line(statement.lineno) for statement in self.index.home)
        indents = {line[: len(line) - len(line.lstrip())] for line in starts} - {""}
        return min(indents, key=len, default="    ")

    def texts_in(self, test: ast.expr) -> frozenset[str]:
        """Return the names, attributes and items in a test, as text."""
        if test not in self._texts:
            kinds = (ast.Name, ast.Attribute, ast.Subscript) if self.items_asked_for else (ast.Name, ast.Attribute)
            parts = (node for node in walk(test) if isinstance(node, kinds))
            self._texts[test] = frozenset(written(part) for part in parts)
        return self._texts[test]

    @cached_property
    def items_asked_for(self) -> frozenset[str]:
        """Return the items whose kind or attributes are asked for, as text: `isinstance(models[key], Model)`."""
        calls = (call for name in _ASKING for call, _ in self.index.calls(name))
        asked = {written(call.args[0]) for call in calls if call.args and isinstance(call.args[0], ast.Subscript)}
        # `models["net"].module` is read in one arm only.
        return frozenset(asked | {text for text in self.unwrapped if text.endswith("]")})

    @cached_property
    def _whiles(self) -> dict[str, list[ast.While]]:
        found = defaultdict(list)
        for loop in self.index.statements(ast.While):
            for text in self.texts_in(loop.test):
                found[text].append(loop)
        return found

    def whiles_asking(self, text: str) -> list[ast.While]:
        """Return the `while` loops whose tests contain a name or attribute, by its text."""
        return self._whiles.get(text, [])

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
        """Return the keywords of a call as a dict display."""
        if call not in self._keywords:
            written = ast.Dict([], [word.value for word in call.keywords])
            for word in call.keywords:
                written.keys.append(ast.copy_location(ast.Constant(word.arg), call) if word.arg else None)
            self._keywords[call] = ast.copy_location(written, call)
        return self._keywords[call]

    def union_of(self, made: ast.BinOp | ast.AugAssign) -> ast.Dict:
        """Return the union of two dicts as a dict display: `{**a, **b}` for `a | b`."""
        if made not in self._unions:
            parts = [made.left, made.right] if isinstance(made, ast.BinOp) else [made.target, made.value]
            self._unions[made] = ast.copy_location(ast.Dict([None, None], parts), made)
        return self._unions[made]

    def walruses_in(self, statement: ast.stmt) -> list[ast.NamedExpr]:
        """Return the `:=` of a statement."""
        return self._walruses.get(statement, [])

    @cached_property
    def _assignments(self) -> Mapping[str, list[Assignment]]:
        return assignments_by_target(self.index)

    def assigned(self, target: str) -> list[Assignment]:
        """Return the assignments to a target, by its text, or to all its items."""
        return self._assignments.get(target, [])

    @cached_property
    def stores(self) -> StoreLookup:
        """Return the stores of the file into attributes and items."""
        return StoreLookup(self.index)

    @cached_property
    def said_names(self) -> SaidNames:
        """Return where the file mentions the last names of things."""
        return SaidNames(self.index, self.parents_in)

    @cached_property
    def _by_base(self) -> dict[str, dict[int, Scope]]:
        found: dict[str, dict[int, Scope]] = defaultdict(dict)
        for position, scope in enumerate(self.index.scopes):
            for base in scope.node.bases if isinstance(scope.node, ast.ClassDef) else ():
                found[last_name(base)][position] = scope
        return found

    def with_base(self, names: Iterable[str]) -> list[Scope]:
        """Return the classes with a base whose last name is one of several, in the order of the file's scopes."""
        classes = {position: scope for name in names for position, scope in self._by_base.get(name, {}).items()}
        return [classes[position] for position in sorted(classes)]

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
    def _name_reads(self) -> dict[str, list[tuple[ast.Name, ast.stmt]]]:
        found = defaultdict(list)
        for statement in self.index.home:
            for node in self.parents_in(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    found[node.id].append((node, statement))
        return found

    @cached_property
    def _reads_by_scope(self) -> ReadsByScope:
        return ReadsByScope(self.index, self._name_reads)

    def name_reads_within(self, scope: Scope, name: str) -> list[tuple[ast.Name, ast.stmt]]:
        """Return where a name is read in a scope, and in those inside it, in the order of `name_reads`."""
        return self.name_reads(name) if scope.kind == "file" else self._reads_by_scope.within(scope, name)

    def name_reads(self, name: str) -> list[tuple[ast.Name, ast.stmt]]:
        """Return where a name is read, in any scope of the file."""
        return self._name_reads.get(name, [])

    @cached_property
    def unwrapped(self) -> frozenset[str]:
        """Return the expressions whose `.module` is read somewhere in the file, as text."""
        if ".module" not in self.source.text:
            return frozenset()
        nodes = (node for node in walk(self.tree) if isinstance(node, ast.Attribute) and node.attr == "module")
        return frozenset(written(node.value) for node in nodes)

    def all_attribute_reads(self) -> list[tuple[ast.Attribute, ast.stmt]]:
        """Return where attributes are read, in source order."""
        found = [pair for pairs in self._attribute_reads.values() for pair in pairs]
        return sorted(found, key=lambda pair: (pair[0].end_lineno or 0, pair[0].end_col_offset or 0))
