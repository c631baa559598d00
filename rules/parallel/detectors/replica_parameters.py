"""Where a replica of a DataParallel asks for parameters, of which it has none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.modules.made_of import class_key
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.place import Caller, Place
from torchlint.model.values.value_sets import Class
from torchlint.pytorch.replicas import EMPTY
from torchlint.syntax.last_names import callee_name, root_of

from .replicas import replicated_classes

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Scope

_CATCHING = frozenset({"StopIteration", "Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class ReplicaParameters:
    """A call that asks a replica for its parameters, and where the module is wrapped."""

    place: Place
    """The call of `next`, or of `parameters()` where all are gone through."""
    raises: bool
    """Whether it takes the first one, and raises where there is none."""
    called: Place | None
    """Where `forward` calls the function that asks, None where a method of its own does."""
    wrapped: Place


def replica_parameters(ev: Evaluator, file: ParsedFile) -> Iterator[ReplicaParameters]:
    """Yield where the methods of a file's modules ask replicas for parameters, each place once."""
    classes = ev.project.once(replicated_classes)
    found: dict[tuple[str, int, int, int, int], ReplicaParameters] = {}
    for scope in file.index.scopes if classes else ():
        wrapped = classes.get(class_key(Class(file, scope)))
        methods = run_by_forward(ev, Class(file, scope)).values() if wrapped is not None else ()
        for method in methods:
            receiver = method.scope.parameters[0].name
            for place, called in (*_asking(method.file, method.scope, receiver), *_handed(ev, method, receiver)):
                taken = _taken(place)
                if wrapped is not None and place.file is file and not _is_prepared(taken or place):
                    one = ReplicaParameters(taken or place, taken is not None, called, wrapped)
                    found.setdefault(one.place.key, one)
    yield from (found[key] for key in sorted(found))


def _asking(
    file: ParsedFile, scope: Scope, name: str, called: Place | None = None
) -> Iterator[tuple[Place, Place | None]]:
    """Yield the calls in a function that ask the module of a name, or one inside it, for its parameters."""
    for call, statement in file.calls_in_scope(scope):
        match call.func:
            case ast.Attribute(value=owner, attr=asked) if asked in EMPTY:
                root = root_of(owner)
                if isinstance(root, ast.Name) and root.id == name:
                    yield Place(file, call, statement), called


def _handed(ev: Evaluator, method: Function, receiver: str) -> Iterator[tuple[Place, Place | None]]:
    """Yield the calls that ask for them in functions that a method hands its own object: `device_of(self)`."""
    for call, statement in method.file.calls_in_scope(method.scope):
        if not any(isinstance(one, ast.Name) and one.id == receiver for one in call.args):
            continue
        place = Place(method.file, call, statement)
        for function in callees_of(ev, place):
            caller = Caller.of_call(place, 1 if function.scope.is_method else 0)
            for parameter in function.scope.parameters:
                given = caller.argument(parameter) or ()
                if any(one.code == receiver for one in given):
                    yield from _asking(function.file, function.scope, parameter.name, place)


def _taken(asked: Place) -> Place | None:
    """Return the `next(…)` or `list(…)[0]` around a call, which raises where there is nothing to take."""
    parent = asked.parent
    match parent.expression if parent is not None else None:
        case ast.Call(func=ast.Name(id="next"), args=[_]):
            return parent
        case ast.Call(func=ast.Name(id="iter" | "list" | "tuple"), args=[_]) if parent is not None:
            outer = parent.parent
            match outer.expression if outer is not None else None:
                case ast.Call(func=ast.Name(id="next"), args=[_]) | ast.Subscript():
                    return outer
                case _:
                    return None
        case _:
            return None


def _is_prepared(place: Place) -> bool:
    """Tell whether the program goes on where there are no parameters: `next(self.parameters(), None)`."""
    parent = place.parent
    if parent is not None and isinstance(parent.expression, ast.Call) and callee_name(parent.expression) == "next":
        return True
    return any(
        isinstance(block.owner, ast.Try) and block.arm == "body" and any(map(_catches, block.owner.handlers))
        for block, _ in place.file.index.blocks_around(place.statement)
    )


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in _CATCHING for one in nodes)
