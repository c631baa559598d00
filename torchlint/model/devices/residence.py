"""Where a module's parameters are when it is called: on the device that it was moved to, anywhere in the project.

In a method, the module itself is on a device that is chosen at run time: the code that makes one moves it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.containers.items import only_key
from torchlint.model.devices.current import numbered
from torchlint.model.devices.moved_by_calls import every_move
from torchlint.model.devices.moving import Move, agreed, moved_by, moves_of, retyped_by
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.modules.held import by_definition, is_container, of_item
from torchlint.model.modules.membership import of_attribute
from torchlint.model.place import Place, Residence
from torchlint.model.values.frames import frame_for
from torchlint.model.values.naming import bound_inside
from torchlint.model.values.value_sets import Class, Frame, Function, Imported, Instance, Possibility
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.moves import MOVES, SAME_MODULE
from torchlint.pytorch.symbols import CONVERT_NORMS, NN
from torchlint.pytorch.wrappers import WRAPPERS
from torchlint.syntax.arguments import passed
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding, Scope, Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_THROUGH = frozenset({"copy.deepcopy", CONVERT_NORMS})


def residence_of(ev: Evaluator, module: Place) -> Residence | None:
    """Return where a module's parameters are: `AT_RUN_TIME` if it was moved to an unknown device."""
    match module.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in MOVES and not _is_own(ev, module, name):
            return moved_by(ev, module, name, ev.resides(module.at(owner)))
        case ast.Call(func=ast.Attribute(value=owner, attr="type"), args=[_]):
            return retyped_by(ev, module, ev.resides(module.at(owner)))
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SAME_MODULE:
            return ev.resides(module.at(owner))
        case ast.Call():
            return agreed(_of_call(ev, module))
        case ast.Name(id=name):
            return _of_name(ev, module, name)
        case ast.Attribute():
            return of_attribute(ev, module)
        case ast.Subscript(value=container, slice=key):
            return _of_item(ev, module.at(container), only_key(ev.evaluate(module.at(key))))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            outcome = ev.decide(module)(test, module.statement)
            arms = {True: (body,), False: (orelse,), None: (body, orelse)}[outcome]
            return agreed(ev.resides(module.at(arm)) for arm in arms)
        case _:
            return None


def _of_item(ev: Evaluator, container: Place, key: object) -> Residence | None:
    if isinstance(key, int) and key >= 0:
        return of_item(ev, container, key)
    return ev.resides(container) if is_container(ev, container) else None


def _is_own(ev: Evaluator, call: Place, name: str) -> bool:
    """Tell whether a class of the project has a `to` of its own, which may do anything."""
    assert isinstance(call.expression, ast.Call)
    assert isinstance(call.expression.func, ast.Attribute)
    owners = ev.evaluate(call.at(call.expression.func.value))
    return any(isinstance(one.value, Instance) and method_of(ev, one.value.kind, name) is not None for one in owners)


def _of_call(ev: Evaluator, call: Place) -> Iterator[Residence | None]:
    """Yield where the modules are that a call may return."""
    node = call.expression
    assert isinstance(node, ast.Call)
    for callee in ev.evaluate(call.at(node.func)):
        match callee.value:
            case Function() as function:
                frame = frame_for(call, function, FRAME_DEPTH)
                for statement in function.scope.returns if frame is not None else ():
                    if statement.value is not None:
                        yield ev.resides(Place(function.file, statement.value, statement, frame))
            case Imported(name=name) if (canonical(name) in _THROUGH or canonical(name) in WRAPPERS) and node.args:
                yield ev.resides(call.at(node.args[0]))
            case Class() as kind:
                yield _by_constructor(ev, call, kind)
            case Imported(name=name) if canonical(name).startswith(NN):
                yield _of_layer(ev, call)
            case _:
                yield None


def _of_layer(ev: Evaluator, call: Place) -> Residence | None:
    """Return the GPU that a layer of PyTorch is made on: `nn.Linear(4, 2, device="cuda")`; None if it names none.

    One that is made on the host may be moved later. https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
    """
    device = passed(call.expression, "device")
    made_on = numbered(ev, call, ev.evaluate(call.at(device))) if device is not None else None
    return Residence(made_on) if made_on is not None and made_on.kind == "cuda" else None


def _by_constructor(ev: Evaluator, call: Place, kind: Class) -> Residence | None:
    """Return where a class's `__init__` moves the object itself, or None if it does not."""
    method = method_of(ev, kind, "__init__")
    if method is None or not method.scope.parameters:
        return None
    receiver = ast.copy_location(ast.Name(method.scope.parameters[0].name, ast.Load()), method.scope.node)
    frame = Frame(method.scope, call, Possibility(Instance(kind), call))
    place = Place(method.file, receiver, method.scope.node.body[0], frame)
    moves = (
        by_definition(ev, place, move)
        for move in moves_of(place, receiver.id)
        if is_reachable(ev, Place(method.file, move.call, move.statement, frame))
    )
    return agreed(moves)


def _of_name(ev: Evaluator, module: Place, name: str) -> Residence | None:
    if (inside := next(bound_inside(module), None)) is not None:
        return by_definition(ev, module, inside[1]) if inside[1] is not None else None
    scope: Scope | None = module.scope
    own = True
    while scope is not None:
        if name in scope.bindings and (own or scope.kind != "class"):
            return _own_name(ev, module, name) if own else _outer_name(ev, module, scope, name)
        scope, own = scope.outer, False
    return None


def _own_name(ev: Evaluator, module: Place, name: str) -> Residence | None:
    definitions: list[Binding | Store | Move] = [*module.scope.bindings[name], *every_move(ev, module)]
    reached = reaching(module.file.index, definitions, module.statement, ev.decide(module)).definitions
    return agreed(by_definition(ev, module, one) for one in _without_failed_moves(module, reached))


def _without_failed_moves(module: Place, reached: Sequence[Binding | Store | Move]) -> Iterator[Binding | Store | Move]:
    """Yield the definitions of a module's name, without those before a `try` that moves it.

    They reach the module only where the move fails, on a machine without the device: `try: model.cuda()`.
    """
    home = module.file.index.home
    blocks = (home[one.statement][0] for one in reached if isinstance(one, Move))
    tried = [one.owner for one in blocks if isinstance(one.owner, ast.Try) and one.body is one.owner.body]
    for one in reached:
        if not any(one.statement.lineno < attempt.lineno for attempt in tried):
            yield one


def _outer_name(ev: Evaluator, module: Place, scope: Scope, name: str) -> Residence | None:
    """Return where the module of a name in an enclosing scope is: when the function is called, if that is known.

    Else it is where all that move it agree on: which of them have run is not known.
    """
    calls = _calls_from(ev, module, scope)
    if calls and all(one.file is module.file and one.scope is scope for one in calls):
        return agreed(_own_name(ev, one.at(module.expression), name) for one in calls)
    there = Place(module.file, module.expression, scope.node.body[0])
    definitions = sorted(_outer_definitions(ev, there, name), key=lambda one: one.statement.lineno)
    found = [by_definition(ev, there, one) for one in definitions]
    return agreed([*(one for one in found[:-1] if one is not None and one.moved_at is not None), *found[-1:]])


def _calls_from(ev: Evaluator, module: Place, scope: Scope) -> list[Place]:
    """Return the call in a scope that leads to a place, or else the calls of its function."""
    frame = module.frame
    while frame is not None and (call := frame.call) is not None:
        if call.file is module.file and call.scope is scope:
            return [call]
        frame = call.frame
    is_function = module.scope.kind == "function"
    return [one.place for one in ev.callers(Function(module.file, module.scope))] if is_function else []


def _outer_definitions(ev: Evaluator, there: Place, name: str) -> Iterator[Binding | Move]:
    file, scope = there.file, there.scope
    definitions: list[Binding | Move] = [*scope.bindings[name], *every_move(ev, there)]
    for one in definitions:
        is_here = file.index.home[one.statement][0].scope is scope
        if is_here and is_reachable(ev, Place(file, there.expression, one.statement)):
            yield one
