"""One walk over a file, one index: its statements' homes, scopes, bindings, stores and the expressions that matter."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeVar, cast

from torchlint.steps import Steps
from torchlint.syntax.binding import Builder, Importing, bind_statement, bind_walrus
from torchlint.syntax.called_stores import called_stores
from torchlint.syntax.last_names import called_as
from torchlint.syntax.scope import Block, Scope, Store
from torchlint.syntax.slim import both, for_both, make_room, slim_kinds, slimming
from torchlint.syntax.walk import parents_within

_Node = TypeVar("_Node", bound=ast.AST)
_Statement = TypeVar("_Statement", bound=ast.stmt)

# Expressions that are looked up by their kind; everything else is reached from a statement.
_KEPT = frozenset({ast.Call, ast.Compare, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.BinOp, ast.NamedExpr, ast.Lambda,
                   ast.Subscript, ast.Yield, ast.YieldFrom, ast.ListComp, ast.SetComp, ast.DictComp,
                   ast.GeneratorExp})  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True, eq=False)
class Index:
    """Where everything is in one file."""

    scope: Scope
    home: dict[ast.stmt, tuple[Block, int]] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    imports: list[Importing] = field(default_factory=list)
    """Every import statement, in source order."""
    nodes: list[ast.AST] = field(default_factory=list)
    """Every statement, followed by those of its expressions that are looked up."""
    beside: dict[ast.stmt, list[ast.Attribute]] = field(default_factory=dict)
    """By their statement, the attributes in annotations and patterns, which are no expressions of its own."""
    leaving: dict[int, int | None] = field(default_factory=dict)
    """By the identity of a block's list of statements: the position of the first that never completes."""
    nearest: dict[Any, dict[Block, Block | None]] = field(default_factory=dict)  # by kinds, for `enclosing`
    exits: dict[Block, Any] = field(default_factory=dict)
    """By block: its asserts and early exits, for `conditions`."""
    jumps: dict[ast.stmt, list[ast.stmt]] | None = None
    """By loop: its `break`s and `continue`s."""
    ways_out: dict[Block, Any] = field(default_factory=dict)
    """By block: its statements by which an iteration may leave a loop, for `last_rounds`."""
    settings: dict[Block, dict[str, list[int]]] = field(default_factory=dict)
    """By block: the positions of what sets or clears something, by its text."""
    continuing: set[ast.stmt] | None = None  # those that hold a `continue`
    chains: dict[ast.If, tuple[list[ast.If], int]] = field(default_factory=dict)  # by each `if` of a chain of `elif`s
    needed: dict[ast.If, ast.expr | None] = field(default_factory=dict)
    """By an `if` whose last arm leaves: the `a or b` that holds past it."""
    layouts: dict[Any, Any] = field(default_factory=dict)
    """By the definitions of a variable: where they are, and where they hold."""
    steps: Steps = field(default_factory=Steps)
    """The tables of walks over the code."""
    behind: dict[tuple[object, object], object] = field(default_factory=dict)
    """What `narrowing` and `surviving` find in the file itself at places, whatever the call context."""
    looking: dict[tuple[Scope, str], list[int] | None] = field(default_factory=dict)
    """By a method and its object: the lines on which others may read that, None if they may at any time."""
    unseen: dict[tuple[Scope, str, str], frozenset[Store]] = field(default_factory=dict)
    """By a method, its object and an attribute of that: the stores that it replaces before others can read them."""
    unwritten: Callable[[str], Iterator[Store]] | None = None
    """Finds the implicit stores into attributes of a name."""
    _kept: dict[type[ast.AST], list[tuple[ast.AST, ast.stmt]]] | None = None
    _calls: dict[str, list[tuple[ast.Call, ast.stmt]]] | None = None
    _statements: dict[type[ast.stmt], list[ast.stmt]] = field(default_factory=dict)
    _attribute_stores: dict[str, list[Store]] | None = None
    _binding: frozenset[ast.stmt] | None = None
    _deciding: frozenset[ast.stmt] | None = None
    _scope_of: dict[ast.AST, Scope] | None = None

    def expressions(self, kind: type[_Node]) -> list[tuple[_Node, ast.stmt]]:
        """Return the expressions of one of the kept kinds, each with its statement."""
        if self._kept is None:
            self._kept = _by_kind(self.nodes)
        return cast("list[tuple[_Node, ast.stmt]]", self._kept[kind])

    def attributes(self) -> Iterator[tuple[ast.Attribute, ast.stmt]]:
        """Yield every attribute, each with its statement."""
        statement: ast.stmt = _NONE_YET
        for node in self.nodes:
            if isinstance(node, ast.Attribute):
                yield node, statement
            elif isinstance(node, ast.stmt):
                statement = node
                for attribute in self.beside.get(statement, ()):
                    yield attribute, statement

    @property
    def binding(self) -> frozenset[ast.stmt]:
        """Return the statements in which an expression binds names for others: a lambda, a comprehension, a `:=`."""
        if self._binding is None:
            self._binding = self._holding(ast.Lambda, ast.NamedExpr, *_COMPREHENSIONS)
        return self._binding

    @property
    def deciding(self) -> frozenset[ast.stmt]:
        """Return the statements in which an expression decides whether others are evaluated."""
        if self._deciding is None:
            self._deciding = self._holding(ast.IfExp, ast.BoolOp, *_COMPREHENSIONS)
        return self._deciding

    def _holding(self, *kinds: type[ast.expr]) -> frozenset[ast.stmt]:
        return frozenset(statement for kind in kinds for _, statement in self.expressions(kind))

    def calls(self, name: str) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls whose callee is written `name`, `….name` or `getattr(…, "name")`, in source order."""
        if self._calls is None:
            named = defaultdict(list)
            for pair in self.expressions(ast.Call):
                named[called_as(pair[0])].append(pair)
            for group in named.values():
                group.sort(key=source_order)
            self._calls = dict(named)
        return self._calls.get(name, [])

    def called_names(self) -> set[str]:
        """Return every name by which the file calls something."""
        self.calls("")
        return set(self._calls or ())

    def statements(self, kind: type[_Statement]) -> Iterator[_Statement]:
        """Yield the statements of a kind in source order."""
        if (known := self._statements.get(kind)) is None:
            known = sorted((one for one in self.home if isinstance(one, kind)), key=attrgetter("lineno"))
            self._statements[kind] = known
        return iter(cast("list[_Statement]", known))

    def attribute_stores(self, name: str) -> list[Store]:
        """Return the stores into attributes of that name, implicit ones included."""
        if self._attribute_stores is None:
            grouped = defaultdict(list)
            for store in (*self.stores, *called_stores(self)):
                if isinstance(store.key, str):
                    grouped[store.key].append(store)
            self._attribute_stores = dict(grouped)
        stores = self._attribute_stores.get(name, [])
        return stores if self.unwritten is None else [*stores, *self.unwritten(name)]

    def blocks_around(self, statement: ast.stmt) -> Iterator[tuple[Block, int]]:
        """Yield the block of a statement and its position in that, then those of the block, up to its scope's body."""
        current: ast.stmt | None = statement
        while current is not None:
            block, position = self.home[current]
            yield block, position
            current = block.outer if block.owner is not block.scope.node else None

    def is_in_body(self, statement: ast.stmt, loop: ast.stmt) -> bool:
        """Tell whether a statement is in the body of a loop, and not in its `else`."""
        return any(block.owner is loop and block.arm == "body" for block, _ in self.blocks_around(statement))

    def scope_of(self, node: ast.AST) -> Scope:
        """Return the scope that a file, `def` or `class` opens."""
        if self._scope_of is None:
            self._scope_of = {scope.node: scope for scope in self.scopes}
        return self._scope_of[node]


def source_order(pair: tuple[ast.expr, ast.stmt]) -> tuple[int, int, int]:
    """Return the sort key of expressions and their statements: by lines, and there inner ones first."""
    return (pair[0].lineno, pair[0].end_lineno or 0, pair[0].end_col_offset or 0)


def build_index(tree: ast.Module) -> Index:
    """Walk a file once; its nodes are replaced by slim ones."""
    scope = Scope("file", "", tree, None)
    index = Index(scope, scopes=[scope])
    first = Block(None, "body", tree.body, scope, None)
    builder = Builder(first, index.scopes, index.stores, index.imports, [first])
    beside: list[ast.AST] = []
    make_room(tree.body[-1].end_lineno or 0 if tree.body else 0)
    while builder.pending:
        builder.block = builder.pending.pop()
        body = builder.block.body
        for position, raw in enumerate(body):
            body[position] = statement = _slim(raw, index, beside)
            index.home[statement] = (builder.block, position)
            bind_statement(statement, builder)
    _settle(index)
    return index


def _slim(raw: ast.stmt, index: Index, beside: list[ast.AST]) -> ast.stmt:
    """Return a slim statement, and keep it and those of its expressions that are looked up."""
    mark = len(index.nodes)
    try:
        statement = _SLIMMING[type(raw)](raw, index.nodes.append, beside.append)
    except RecursionError:
        # Too deep for Python's stack here, so it stays as it is.
        index.nodes[mark:] = [raw, *(node for node in parents_within(raw) if type(node) in _ASKED_FOR)]
        beside.clear()
        return raw
    if beside:
        index.beside[statement] = [node for node in beside if isinstance(node, ast.Attribute)]
        beside.clear()
    return statement


def _by_kind(nodes: list[ast.AST]) -> dict[type[ast.AST], list[tuple[ast.AST, ast.stmt]]]:
    """Return expressions by their kind, each with the statement that it follows."""
    empty: dict[type[ast.AST], list[tuple[ast.AST, ast.stmt]]] = {kind: [] for kind in _KEPT}
    found = for_both(empty)
    statement: ast.stmt = _NONE_YET
    for node in nodes:
        if (group := found.get(type(node))) is not None:
            group.append((node, statement))
        elif isinstance(node, ast.stmt):
            statement = node
    return found


def _settle(index: Index) -> None:
    """Sort what was found out of order: imports, and inside expressions walrus bindings and yields."""
    index.imports.sort(key=attrgetter("lineno"))
    for walrus, statement in index.expressions(ast.NamedExpr):
        bind_walrus(walrus, statement, index.home[statement][0].scope)
    for one, statement in index.expressions(ast.Yield):
        index.home[statement][0].scope.yields.append((one, statement))
    for many, statement in index.expressions(ast.YieldFrom):
        index.home[statement][0].scope.yields.append((many, statement))
    for scope in index.scopes:
        for name, declared in scope.outside.items():
            if target := _declared_in(scope, name, declared):
                target.bindings.setdefault(name, []).extend(scope.bindings.get(name, ()))


def _declared_in(scope: Scope, name: str, kind: str) -> Scope | None:
    """Return the scope whose variable a `global` or `nonlocal` name is."""
    if kind == "global":
        return scope.file_scope
    outer = scope.outer
    while outer is not None and (outer.kind == "class" or name not in outer.bindings):
        outer = outer.outer
    return outer


_NONE_YET = ast.Pass()
_ASKED_FOR = both({*_KEPT, ast.Attribute})
# Statements become statements.
_SLIMMING = cast(
    "dict[type[ast.stmt], Callable[..., ast.stmt]]",
    slimming(_KEPT | {ast.Attribute} | {kind for kind in slim_kinds() if issubclass(kind, ast.stmt)}),
)
