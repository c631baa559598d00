"""Which functions may have a tensor on the host at all: a cheap check before others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.factories import FACTORIES
from torchlint.pytorch.metadata import NUMBER_METHODS
from torchlint.pytorch.waits import READ_AS_NUMBERS
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Binding, Import, Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_AS_NUMBERS = NUMBER_METHODS.union(READ_AS_NUMBERS)
_MAKING = frozenset({*(name.rpartition(".")[2] for name in FACTORIES), "DataLoader"})


def may_hold_host_tensor(ev: Evaluator, file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function makes a tensor on the host, calls what makes one, stores one or receives one."""
    if _may_make(ev, file, scope):
        return True
    kind = scope.outer if scope.is_method else None
    return kind is None or _may_give_its_methods(ev, Class(file, kind))


@tabled(False)
def _may_give_its_methods(ev: Evaluator, own: Class) -> bool:
    """Tell whether a method may receive a tensor on the host, or read one from its object."""
    if not is_module(ev, Instance(own)):
        return True
    # The inputs of a module's method are found through the calls of the module.
    classes = (one for one in family(ev, own) if isinstance(one, Class))
    bodies = ((one.file, body) for one in classes for body in (one.scope, *_methods(one)))
    return any(_may_make(ev, file, body) for file, body in bodies)


@tabled(False)
def _may_make(ev: Evaluator, file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function makes a tensor on the host, or calls one of the project that does."""
    return _makes(file, scope) or _calls_maker(ev, file, scope)


def _makes(file: ParsedFile, scope: Scope) -> bool:
    return any(
        last_name(call.func) in _MAKING
        and not any(_is_beside(word) for word in call.keywords)
        and not _is_builtin(file, call)
        and not _is_registered(file, call, statement)
        for call, statement in file.calls_in_scope(scope)
    )


def _is_builtin(file: ParsedFile, call: ast.Call) -> bool:
    """Tell whether `range` is Python's own, and not PyTorch's factory of that name."""
    match call.func:
        case ast.Name(id="range"):
            return "range" not in file.index.scope.bindings and "*" not in file.index.scope.bindings
        case _:
            return False


def _is_registered(file: ParsedFile, call: ast.Call, statement: ast.stmt) -> bool:
    """Tell whether a tensor becomes a parameter or buffer of a module at once, or numbers: both are on no host."""
    match statement:
        case ast.Assign(targets=[ast.Attribute()], value=ast.Call(func=function)) if last_name(function) == "Parameter":
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer" | "register_parameter"))):
            return True
    parents = file.parents_in(statement)
    around = parents.get(call)
    if isinstance(around, ast.Attribute):
        return around.attr in _AS_NUMBERS
    listed = parents.get(around) if isinstance(around, ast.comprehension) else None
    elements = getattr(listed, "elt", None)
    return isinstance(elements, ast.Call) and last_name(elements.func) in _AS_NUMBERS


def _is_beside(word: ast.keyword) -> bool:
    """Tell whether a factory makes its tensor on another tensor's device: `device=x.device`."""
    match word:
        case ast.keyword(arg="device", value=ast.Attribute(value=ast.Name(id=name), attr="device")):
            return name != "self"
        case _:
            return False


def _methods(kind: Class) -> list[Scope]:
    return [scope for scope in kind.file.index.scopes if scope.outer is kind.scope]


def _calls_maker(ev: Evaluator, file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function calls one of the project, by its name, that makes a tensor on the host."""
    names = dict.fromkeys(_called(call.func) for call, _ in file.calls_in_scope(scope))
    return any(_is_maker(ev, file, called) for called in names if called)


def _called(function: ast.expr) -> tuple[str, ...]:
    """Return the name of a callee, after that of the module if it is read from one: `masks.causal(n)`."""
    match function:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return (module, name)
        case _:
            return ()


def _is_maker(ev: Evaluator, file: ParsedFile, called: tuple[str, ...]) -> bool:
    bindings = file.index.scope.bindings.get(called[0], ())
    if len(called) == 1 and _is_bound_to_maker(ev, file, bindings):
        return True
    return any(
        there is not file and _is_bound_to_maker(ev, there, there.index.scope.bindings.get(name, ()))
        for one in bindings
        if one.imported is not None
        for there, name in _imported(ev, file, one.imported, called)
    )


def _is_bound_to_maker(ev: Evaluator, file: ParsedFile, bindings: Iterable[Binding]) -> bool:
    scopes = [one.scope for one in bindings if one.scope is not None and one.kind == "function"]
    return any(_may_make(ev, file, scope) for scope in scopes)


def _imported(
    ev: Evaluator, file: ParsedFile, imported: Import, called: tuple[str, ...]
) -> Iterator[tuple[ParsedFile, str]]:
    """Yield the file of the project that a callee is imported from, and its name there."""
    module, name = imported.module, imported.name
    if len(called) > 1:
        module, name = f"{module}.{name}" if name is not None and module else name or module, called[1]
    there = ev.project.resolve(file, module, imported.level) if name is not None else None
    if there is not None and name is not None:
        yield there, name
