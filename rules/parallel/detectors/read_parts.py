"""Whether a program uses what modules of a class hold in an attribute, for more than its first values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import are_related, method_of
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.holding import files_holding
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Imported, Instance, Unknown
from torchlint.pytorch.layers import OWN_TENSORS
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_FILLING = frozenset({"apply", "reset_parameters"})
_VALUES = OWN_TENSORS | {"data"}


def is_used(ev: Evaluator, kind: Class, classes: tuple[Class, ...], name: str) -> bool:
    """Tell whether some code may use an attribute of modules of a class, or change it from outside."""
    if any(True for _ in files_saying(ev, kind.file, f'"{name}"', f"'{name}'")):
        return True
    for file in files_saying(ev, kind.file, f".{name}"):
        reads = [*file.attribute_reads(name), *_deletions(file, name)]
        if any(_may_use(ev, kind, classes, Place(file, *read)) for read in reads) or _is_replaced(
            ev, kind, classes, file, name
        ):
            return True
    return False


def _deletions(file: ParsedFile, name: str) -> Iterator[tuple[ast.Attribute, ast.stmt]]:
    """Yield where a file deletes attributes of a name."""
    for statement in file.index.statements(ast.Delete):
        yield from ((o, statement) for o in statement.targets if isinstance(o, ast.Attribute) and o.attr == name)


def files_saying(ev: Evaluator, file: ParsedFile, *texts: str) -> Iterator[ParsedFile]:
    """Yield the files with any of some texts that some program runs together with a file."""
    return (one for one in files_holding(ev, texts) if may_share_program(ev, file, one))


def _is_replaced(ev: Evaluator, kind: Class, classes: tuple[Class, ...], file: ParsedFile, name: str) -> bool:
    """Tell whether a store outside of the class may be into the attribute: `model.head = nn.Identity()`."""
    stores = (Place(file, one.target, one.statement) for one in file.index.attribute_stores(name))
    outside = (one for one in stores if method_around(classes, one) is None)
    return any(_may_be_of(ev, kind, one) for one in outside)


def _may_use(ev: Evaluator, kind: Class, classes: tuple[Class, ...], read: Place) -> bool:
    if _is_filling(read):
        return False
    method = method_around(classes, read)
    if method is None:
        owner = read.owner
        return owner is None or _may_be_of(ev, kind, owner)
    return _may_run(ev, kind, method)


def _may_be_of(ev: Evaluator, kind: Class, owner: Place) -> bool:
    """Tell whether an expression may be a module of a class, or something unknown."""
    around = owner.scope.outer
    if owner.scope.is_method and around is not None and owner.code == owner.scope.parameters[0].name:
        return are_related(ev, Class(owner.file, around), kind)
    possible = ev.evaluate(owner)
    if not possible or any(isinstance(one.value, (Unknown, Imported)) for one in possible):
        return True
    return any(isinstance(one.value, Instance) and are_related(ev, one.value.kind, kind) for one in possible)


def method_around(classes: tuple[Class, ...], place: Place) -> Scope | None:
    """Return the method of one of some classes that a place is in, functions inside it included."""
    scope: Scope | None = place.scope
    while scope is not None and scope.outer is not None:
        if any(scope.outer is one.scope for one in classes):
            return scope
        scope = scope.outer
    return None


def _may_run(ev: Evaluator, kind: Class, method: Scope) -> bool:
    """Tell whether anything may run a method on a module of a class."""
    running = run_by_forward(ev, kind)
    if method in running or method.kind != "function" or method.name.startswith("__"):
        return True
    resolved = method_of(ev, kind, method.name)
    if resolved is not None and resolved.scope is not method:
        texts = (one.file.code_of(one.scope.node) for one in running.values())
        return any("super(" in text or f".{method.name}(self" in text for text in texts)
    is_named = any(True for _ in files_saying(ev, kind.file, f".{method.name}"))
    return is_named or bool(method.decorators)


def _is_filling(read: Place) -> bool:
    """Tell whether a read only gives parameters their first values: `nn.init.zeros_(self.head.weight)`."""
    if not isinstance(read.statement, ast.Expr):
        return False
    parents = read.file.parents_in(read.statement)
    node, parent = read.expression, parents.get(read.expression)
    while isinstance(parent, ast.Attribute) and parent.attr in _VALUES:
        node, parent = parent, parents.get(parent)
    match parent:
        case ast.Attribute(attr=method):
            call = parents.get(parent)
            is_filled = isinstance(call, ast.Call) and call.func is parent and (method in _FILLING or method[-1] == "_")
            return is_filled and call is read.statement.value
        case ast.Call(func=function) if node is not function and parent is read.statement.value:
            name = callee_name(parent) or ""
            return name.endswith("_") or "init" in name
        case _:
            return False
