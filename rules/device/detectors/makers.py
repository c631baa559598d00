"""Which functions may have a tensor on the host at all: a cheap check before others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.factories import FACTORIES
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_AS_NUMBERS = frozenset({"item", "tolist", "numel", "dim", "size"})
_MAKING = frozenset({*(name.rpartition(".")[2] for name in FACTORIES), "DataLoader"})


def may_hold_host_tensor(ev: Evaluator, file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function makes a tensor on the host, calls what makes one, stores one or receives one."""
    if _makes(file, scope) or _calls_maker(ev, file, scope):
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
    return any(_makes(one.file, body) for one in classes for body in (one.scope, *_methods(one)))


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
    for call, _ in file.calls_in_scope(scope):
        if isinstance(call.func, ast.Name) and _is_maker(ev, file, call.func.id):
            return True
    return False


def _is_maker(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    for binding in file.index.scope.bindings.get(name, ()):
        if binding.scope is not None and binding.kind == "function" and _makes(file, binding.scope):
            return True
        if binding.imported is not None and binding.imported.name is not None:
            there = ev.project.resolve(file, binding.imported.module, binding.imported.level)
            if there is not None and there is not file and _defines_maker(there, binding.imported.name):
                return True
    return False


def _defines_maker(file: ParsedFile, name: str) -> bool:
    bindings = file.index.scope.bindings.get(name, ())
    return any(one.scope is not None and one.kind == "function" and _makes(file, one.scope) for one in bindings)
