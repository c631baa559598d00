"""Whether the constructor of a module runs `Module.__init__`, and from which of its lines on.

`super()` goes from class to class in the method resolution order, and ends at one that does not call it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Imported
from torchlint.pytorch.modules import MODULE_BASES
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

Order: TypeAlias = "Sequence[Class | str]"
_Method: TypeAlias = "tuple[Class, Scope]"

# Parameters and buffers are tensors.
_LAYER = re.compile(r"torch\.nn\.((modules|parallel)\.(\w+\.)?)?(?!\w*(Parameter|Buffer)$)[A-Z]\w*")
# They define no `__init__`, and no other way to make an object.
_WITHOUT = frozenset({"abc.ABC", "builtins.object", "typing.Generic"})
# A class with one of these initializes itself.
_OWN_WAYS = re.compile(r"\b(__dict__|__setstate__|__setattr__|__new__|_modules|_parameters|_buffers)\b")
# A class that defines one of these makes and fills its objects in its own way.
_MAKING = frozenset({"__new__", "__setattr__"})


def module_order(ev: Evaluator, kind: Class) -> Order | None:
    """Return the classes of a module in the method resolution order; None if it is none, or not all are known.

    A metaclass or a decorator may do what no constructor does.
    """
    found = list(family(ev, kind))
    if not any(isinstance(one, str) and _is_module(one) for one in found):
        return None
    if not all(_is_known(ev, one) for one in found):
        return None
    # A base comes after all its subclasses.
    return list(dict.fromkeys(reversed(found)))[::-1]


def _is_module(name: str) -> bool:
    return _LAYER.fullmatch(name) is not None or name in MODULE_BASES


def _is_known(ev: Evaluator, kind: Class | str) -> bool:
    if isinstance(kind, str):
        return _is_module(kind) or kind in _WITHOUT
    node = kind.scope.node
    if not isinstance(node, ast.ClassDef) or node.keywords or node.decorator_list:
        return False
    bases = (one.value for base in node.bases for one in ev.evaluate(Place(kind.file, base, node)))
    return _MAKING.isdisjoint(kind.scope.bindings) and all(isinstance(base, (Class, Imported)) for base in bases)


def may_initialize_without(file: ParsedFile, constructor: Scope) -> bool:
    """Tell whether a constructor may do what `Module.__init__` does by other means than a call of its own."""
    node = constructor.node
    if any(scope.outer is constructor for scope in file.index.scopes):
        return True
    return isinstance(node, ast.stmt) and _OWN_WAYS.search(file.code_of(node)) is not None


def initializing_calls(
    ev: Evaluator, order: Order, file: ParsedFile, function: Scope
) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls of a constructor that may run `Module.__init__`, each with its statement."""
    receiver = function.parameters[0].name if function.parameters else ""
    for call, statement in file.calls_in_scope(function):
        found = _called(ev, order, Place(file, call, statement), receiver)
        if found is True or (not isinstance(found, bool) and _may_initialize(ev, tuple(order), *found)):
            yield call, statement


def _called(ev: Evaluator, order: Order, call: Place, receiver: str) -> _Method | bool:
    """Return the method of the project that a call runs on the object; without one, whether it may initialize it."""
    node = call.expression
    assert isinstance(node, ast.Call)
    if callee_name(node) == "__init__":
        return _constructor(ev, order, call)
    if isinstance(node.func, ast.Attribute) and _is_name(node.func.value, receiver):
        found = _first([one for one in order if isinstance(one, Class)], node.func.attr)
        # One of PyTorch's own, or what an attribute holds.
        return found if found is not True else False
    return callee_name(node) != "super" and any(_is_name(one, receiver) for one in node.args)


@tabled(False)
def _may_initialize(ev: Evaluator, order: tuple[Class | str, ...], kind: Class, function: Scope) -> bool:
    if may_initialize_without(kind.file, function):
        return True
    return any(True for _ in initializing_calls(ev, list(order), kind.file, function))


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _constructor(ev: Evaluator, order: Order, call: Place) -> _Method | bool:
    """Return the constructor of the project that a call of `__init__` runs; True if it is another one."""
    own = call.scope.outer
    match call.expression:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=args))):
            behind = next((i + 1 for i, one in enumerate(order) if isinstance(one, Class) and one.scope is own), None)
            is_own = not args or (own is not None and _is_name(args[0], own.name))
            return True if behind is None or not is_own else _first(order[behind:], "__init__")
        case ast.Call(func=ast.Attribute(value=owner)):
            kinds = [one.value for one in ev.evaluate(call.at(owner))]
            if len(kinds) == 1 and isinstance(kinds[0], Class) and kinds[0] in order:
                return _first(order[order.index(kinds[0]) :], "__init__")
    return True


def _first(order: Order, name: str) -> _Method | bool:
    """Return the first method of a name; True if there is none, or a class of another package comes before it."""
    for one in order:
        if isinstance(one, str) and one not in _WITHOUT:
            return True
        if isinstance(one, Class) and name in one.scope.bindings:
            scope = one.scope.bindings[name][-1].scope
            return (one, scope) if scope is not None else True
    return True
