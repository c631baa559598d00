"""Methods of a Trainer that a class overrides without a parameter for what they are passed today."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, method_of
from torchlint.model.headers import name_of
from torchlint.model.options.versions import may_be_from
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class
from torchlint.pytorch.companions.transformers import PACKAGE, PASSED, TRAINERS
from torchlint.pytorch.kinds import PassedArgument
from torchlint.syntax.last_names import last_name, without_call
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

# What leaves a function what it is; any other decorator may take the argument away.
_PLAIN = frozenset({"override", "abstractmethod", "no_grad"})


@dataclass(frozen=True, slots=True)
class OutdatedHook:
    """A method that a Trainer passes more than it takes."""

    place: Place
    row: PassedArgument
    last: Place | None
    """Its last parameter, or the default of that, where another one may follow; None where none may."""


def outdated_hooks(ev: Evaluator, file: ParsedFile) -> Iterator[OutdatedHook]:
    """Yield the methods of a file that raise when the Trainer calls them, in source order."""
    for scope in file.index.scopes:
        for row in PASSED:
            if scope.name == row.method and may_be_from(file, PACKAGE, row.since) and _raises(ev, file, scope, row):
                yield OutdatedHook(name_of(file, scope), row, _last(file, scope))


def _raises(ev: Evaluator, file: ParsedFile, scope: Scope, row: PassedArgument) -> bool:
    """Tell whether a function is a method that the Trainer calls itself, and does not take what that passes."""
    if not scope.is_method or scope.outer is None or _takes(scope, row) or not _is_plain(file, scope):
        return False
    kind = Class(file, scope.outer)
    if TRAINERS.isdisjoint(imported_bases(ev, kind)):
        return False
    heirs = ev.subclasses(kind)
    if any(row.method in heir.scope.bindings for heir in heirs):
        return False
    return not any(_goes_own_way(ev, kind, caller) for caller in row.callers)


def _takes(scope: Scope, row: PassedArgument) -> bool:
    """Tell whether a method has a parameter for an argument."""
    stars = {one.star for one in scope.parameters}
    if row.position is None:
        return "**" in stars or any(one.name == row.name and not one.star for one in scope.parameters)
    positional = [one for one in scope.parameters if one.position is not None and not one.star]
    return "*" in stars or len(positional) > row.position + 1


def _is_plain(file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a method stands right in its class, and is what it is written as."""
    node = scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    is_own = file.index.home[node][0].owner is (scope.outer.node if scope.outer else None)
    return is_own and all(last_name(without_call(one)) in _PLAIN for one in scope.decorators)


def _goes_own_way(ev: Evaluator, kind: Class, caller: str) -> bool:
    """Tell whether a class, or one of the project below it, replaces what would come to the call."""
    for one in (kind, *ev.subclasses(kind)):
        method = method_of(ev, one, caller)
        if method is not None and not any(_asks_super(node, caller) for node in walk(method.scope.node)):
            return True
    return False


def _asks_super(node: ast.AST, caller: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)):
            return name == caller
        case _:
            return False


def _last(file: ParsedFile, scope: Scope) -> Place | None:
    """Return what a parameter with a default can be written behind."""
    node = scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    given = node.args
    if given.vararg or given.kwonlyargs or given.kwarg or not given.args:
        return None
    last = given.args[-1]
    written = given.defaults[-1] if given.defaults else last.annotation
    if written is None:
        written = ast.Name(
            last.arg, ast.Load(), lineno=last.lineno, col_offset=last.col_offset, end_lineno=last.end_lineno,
            end_col_offset=last.end_col_offset,
        )  # fmt: skip
    return Place(file, written, node)
