"""Names and what binds them: the scopes of a source file."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

BindingKind: TypeAlias = Literal[
    "assign", "augment", "iterate", "enter", "import", "function", "class", "parameter", "except", "match"
]
ScopeKind: TypeAlias = Literal["file", "function", "class"]
Selector: TypeAlias = "tuple[int | None, ...]"
"""Which part of a value a target takes: `(1, 0)` for `b` in `a, (b, c) = …`; None for a starred part."""
_SCALARS = frozenset({"bool", "float", "int", "str"})


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """A list of statements: the body of a file, a function, a loop, an arm of an `if`."""

    owner: ast.AST | None
    """The statement, handler or case that the block belongs to; None for the file's own body."""
    arm: str
    """The owner's field: body, orelse, finalbody."""
    body: list[ast.stmt]
    scope: Scope
    outer: ast.stmt | None
    """The statement around the block, also where the owner is a handler or a case."""


@dataclass(slots=True, eq=False, repr=False)
class Import:
    """What an import binds: the dotted module, `level` dots up, and the name taken from it, if any."""

    module: str
    level: int
    name: str | None


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """One place that binds a name."""

    name: str
    kind: BindingKind
    statement: ast.stmt
    value: ast.expr | None
    """The expression bound, iterated over, entered or added."""
    selector: Selector = ()
    imported: Import | None = None
    scope: Scope | None = None
    """The scope that a `def` or `class` opens."""


@dataclass(slots=True, eq=False, repr=False)
class Parameter:
    """A parameter of a function; `star` is `*` or `**` for those that collect."""

    name: str
    position: int | None
    default: ast.expr | None
    annotation: ast.expr | None
    star: str = ""

    @property
    def is_scalar(self) -> bool:
        """Tell whether it is said to be a number, a text or None: `int`, `Optional[float]`."""
        return not self.star and _is_scalar(self.annotation)


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """A file, function or class body, and the names bound in it."""

    kind: ScopeKind
    name: str
    node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    outer: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    returns: list[ast.Return] = field(default_factory=list)
    yields: list[tuple[ast.Yield | ast.YieldFrom, ast.stmt]] = field(default_factory=list)
    outside: dict[str, str] = field(default_factory=dict)
    """Names declared `global` or `nonlocal` here, and which of the two."""

    @property
    def qualified_name(self) -> str:
        """Return the name with those of the scopes around it: `Trainer.fit`."""
        if self.outer is None or self.outer.kind == "file":
            return self.name
        return f"{self.outer.qualified_name}.{self.name}"

    def seen(self, name: str) -> list[Binding] | None:
        """Return the bindings of a name in the nearest scope that has any, from this one outwards, else None."""
        scope = self.binder(name)
        return None if scope is None else scope.bindings[name]

    def binder(self, name: str) -> Scope | None:
        """Return the nearest scope that binds a name, from this one outwards; None where none does."""
        scope: Scope | None = self
        while scope is not None and name not in scope.bindings:
            scope = scope.outer
        return scope

    @property
    def is_method(self) -> bool:
        """Tell whether this is a function defined in a class body."""
        return self.kind == "function" and self.outer is not None and self.outer.kind == "class"

    @property
    def decorators(self) -> list[ast.expr]:
        """Return what decorates a function or class."""
        return self.node.decorator_list if not isinstance(self.node, ast.Module) else []

    def is_decorated_as(self, *names: str) -> bool:
        """Tell whether one of these names decorates a function directly: `staticmethod`."""
        return any(isinstance(one, ast.Name) and one.id in names for one in self.decorators)

    @property
    def file_scope(self) -> Scope:
        """Return the scope of the file around this one."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


@dataclass(slots=True, eq=False, repr=False)
class Store:
    """A store into an attribute (`key` is its name) or an item (`key` is an expression) of an object."""

    target: ast.expr
    key: str | ast.expr
    kind: BindingKind
    statement: ast.stmt
    value: ast.expr | None
    selector: Selector = ()


def _is_scalar(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Name(id=name):
            return name in _SCALARS
        case ast.Constant(value=None):
            return True
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_scalar(left) and _is_scalar(right)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return _is_scalar(inner)
        case _:
            return False
