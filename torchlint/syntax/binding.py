"""What each kind of statement binds, stores and opens."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from torchlint.syntax.scope import Binding, BindingKind, Block, Import, Parameter, Scope, Selector, Store
from torchlint.syntax.slim import for_both
from torchlint.syntax.unpacking import parts_of
from torchlint.syntax.walk import walk

_FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Importing: TypeAlias = "ast.Import | ast.ImportFrom"


@dataclass(slots=True)
class Builder:
    """What a walk over a file fills: the block it is in, and the lists of the index."""

    block: Block
    scopes: list[Scope]
    stores: list[Store]
    imports: list[Importing]
    pending: list[Block]
    """Blocks whose statements are still to be visited."""

    def open(self, owner: ast.AST, arm: str, body: list[ast.stmt], outer: ast.stmt, scope: Scope | None = None) -> None:
        """Queue a block of a compound statement."""
        if body:
            self.pending.append(Block(owner, arm, body, scope or self.block.scope, outer))


def bind_statement(statement: ast.stmt, builder: Builder) -> None:
    """Record what a statement binds, and queue its blocks."""
    handle = _STATEMENTS.get(type(statement))
    if handle is not None:
        handle(statement, builder)


def bind_walrus(walrus: ast.NamedExpr, statement: ast.stmt, scope: Scope) -> None:
    """Record `(name := value)`."""
    _add(scope, Binding(walrus.target.id, "assign", statement, walrus.value))


def modules_of(statement: Importing) -> list[str]:
    """Return the dotted names that an import statement takes from the search path, and not from its own package."""
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""] if not statement.level else []
    return [alias.name for alias in statement.names]


def _add(scope: Scope, binding: Binding) -> None:
    scope.bindings.setdefault(binding.name, []).append(binding)


def _bind(
    target: ast.expr,
    kind: BindingKind,
    statement: ast.stmt,
    value: ast.expr | None,
    builder: Builder,
    selector: Selector = (),
) -> None:
    """Bind every name in a target, and note every attribute and item that it stores into."""
    match target:
        case ast.Name(id=name):
            _add(builder.block.scope, Binding(name, kind, statement, value, selector))
        case ast.Attribute(attr=name):
            builder.stores.append(Store(target.value, name, kind, statement, value, selector))
        case ast.Subscript():
            builder.stores.append(Store(target.value, target.slice, kind, statement, value, selector))
        case ast.Starred():
            _bind(target.value, kind, statement, value, builder, (*selector, None))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part, part_value, part_selector in parts_of(parts, kind, value, selector):
                _bind(part, kind, statement, part_value, builder, part_selector)


def _assign(statement: ast.Assign, builder: Builder) -> None:
    for target in statement.targets:
        _bind(target, "assign", statement, statement.value, builder)


def _annotated(statement: ast.AnnAssign, builder: Builder) -> None:
    if statement.value is not None:
        _bind(statement.target, "assign", statement, statement.value, builder)


def _augmented(statement: ast.AugAssign, builder: Builder) -> None:
    _bind(statement.target, "augment", statement, statement.value, builder)


def _for(statement: ast.For | ast.AsyncFor, builder: Builder) -> None:
    _bind(statement.target, "iterate", statement, statement.iter, builder)
    builder.open(statement, "body", statement.body, statement)
    builder.open(statement, "orelse", statement.orelse, statement)


def _branch(statement: ast.If | ast.While, builder: Builder) -> None:
    builder.open(statement, "body", statement.body, statement)
    builder.open(statement, "orelse", statement.orelse, statement)


def _with(statement: ast.With | ast.AsyncWith, builder: Builder) -> None:
    for item in statement.items:
        if item.optional_vars is not None:
            _bind(item.optional_vars, "enter", statement, item.context_expr, builder)
    builder.open(statement, "body", statement.body, statement)


def _try(statement: ast.Try, builder: Builder) -> None:
    builder.open(statement, "body", statement.body, statement)
    for handler in statement.handlers:
        if handler.name:
            _add(builder.block.scope, Binding(handler.name, "except", statement, None))
        builder.open(handler, "body", handler.body, statement)
    builder.open(statement, "orelse", statement.orelse, statement)
    builder.open(statement, "finalbody", statement.finalbody, statement)


def _match(statement: ast.Match, builder: Builder) -> None:
    for case in statement.cases:
        for pattern in walk(case.pattern):
            name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
            if isinstance(name, str):
                _add(builder.block.scope, Binding(name, "match", statement, None))
        builder.open(case, "body", case.body, statement)


def _import(statement: ast.Import, builder: Builder) -> None:
    builder.imports.append(statement)
    for alias in statement.names:
        name = alias.asname or alias.name.partition(".")[0]
        module = alias.name if alias.asname else name
        _add(builder.block.scope, Binding(name, "import", statement, None, (), Import(module, 0, None)))


def _import_from(statement: ast.ImportFrom, builder: Builder) -> None:
    builder.imports.append(statement)
    for alias in statement.names:
        imported = Import(statement.module or "", statement.level, alias.name)
        _add(builder.block.scope, Binding(alias.asname or alias.name, "import", statement, None, (), imported))


def _function(statement: _FunctionNode, builder: Builder) -> None:
    scope = Scope("function", statement.name, statement, builder.block.scope)
    scope.parameters = tuple(_parameters(statement.args))
    for parameter in scope.parameters:
        _add(scope, Binding(parameter.name, "parameter", statement, None))
    builder.scopes.append(scope)
    _add(builder.block.scope, Binding(statement.name, "function", statement, None, scope=scope))
    builder.open(statement, "body", statement.body, statement, scope)


def _class(statement: ast.ClassDef, builder: Builder) -> None:
    scope = Scope("class", statement.name, statement, builder.block.scope)
    builder.scopes.append(scope)
    _add(builder.block.scope, Binding(statement.name, "class", statement, None, scope=scope))
    builder.open(statement, "body", statement.body, statement, scope)


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for position, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        yield Parameter(argument.arg, position, default, argument.annotation)
    if arguments.vararg:
        yield Parameter(arguments.vararg.arg, len(positional), None, arguments.vararg.annotation, "*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(argument.arg, None, default, argument.annotation)
    if arguments.kwarg:
        yield Parameter(arguments.kwarg.arg, None, None, arguments.kwarg.annotation, "**")


def _return(statement: ast.Return, builder: Builder) -> None:
    builder.block.scope.returns.append(statement)


def _outside(statement: ast.Global | ast.Nonlocal, builder: Builder) -> None:
    kind = "global" if isinstance(statement, ast.Global) else "nonlocal"
    builder.block.scope.outside.update(dict.fromkeys(statement.names, kind))


_STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.If: _branch,
    ast.While: _branch,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Return: _return,
    ast.Global: _outside,
    ast.Nonlocal: _outside,
}
if hasattr(ast, "TryStar"):  # Python 3.11
    _STATEMENTS[ast.TryStar] = _try
_STATEMENTS = for_both(_STATEMENTS)
