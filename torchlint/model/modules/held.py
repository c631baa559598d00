"""Where the module is that a definition binds: an assignment, a parameter, a move in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import OBJECT_CALLS
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.containers import module_containers
from torchlint.model.containers.positions import made_at
from torchlint.model.devices.moved_by_calls import moved_by_callee
from torchlint.model.devices.moving import AT_RUN_TIME, Move, agreed, moved_by, moved_in_place
from torchlint.model.modules.construction import is_being_made
from torchlint.model.place import Caller, Place, Residence
from torchlint.model.values.iterations import before_loop, in_iteration, number_in
from torchlint.model.values.value_sets import HOST, Class, Display, Frame, Function, Instance
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.around import function_around, is_self
from torchlint.syntax.iterated import items_of
from torchlint.syntax.scope import Binding, Scope, Store
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOST_READS = 10_000


def by_definition(ev: Evaluator, module: Place, one: Binding | Store | Move) -> Residence | None:
    """Return where the module is that a definition of `module`'s name or attribute binds."""
    if isinstance(one, Move) and moved_in_place(one.call, one.statement) is None:
        return moved_by_callee(ev, module, one)
    if isinstance(one, Move):
        return by_move(ev, Place(module.file, one.call, one.statement, module.frame, module.given))
    if isinstance(one, Binding) and one.kind == "parameter":
        return _passed(ev, module, one)
    if one.value is None:
        return None
    value = Place(module.file, one.value, one.statement, module.frame, module.given)
    if one.kind == "iterate":
        container = _iterated(before_loop(value, one.value), one.selector)
        if container is not None and (number := number_in(value, one.value)) is not None:
            return of_item(ev, container, number)
        return ev.resides(container) if container is not None and is_container(ev, container) else None
    if one.kind != "assign":
        return None
    return ev.resides(value) if not one.selector else agreed(_parts(ev, value, one.selector))


def by_move(ev: Evaluator, call: Place) -> Residence | None:
    """Return where a call moves a module in place."""
    assert isinstance(call.expression, ast.Call)
    assert isinstance(call.expression.func, ast.Attribute)
    return moved_by(ev, call, call.expression.func.attr, None)


def of_item(ev: Evaluator, container: Place, position: int) -> Residence | None:
    """Return where the module at a position of a list is: where a loop moves each, or where it was put there."""
    given = _given_to(ev, container)
    moved = (by_move(ev, one) for one in _moves_of_items(container, position)) if given else iter(())
    own = agreed(moved)
    if own is None:
        made = [made_at(one, position) if one is not None else None for one in given or _displays(ev, container)]
        own = agreed(ev.resides(one) if one is not None else None for one in made)
    return _along(own, ev.resides(container)) if given else own


def _along(own: Residence | None, whole: Residence | None) -> Residence | None:
    """Return where an item is that was moved by itself, and maybe with the whole; which came last is unknown."""
    if own is None or own.device == HOST or (whole is not None and own.device == whole.device):
        return whole
    return own if whole is None or whole.device in {HOST, AT_RUN_TIME} else None


def _given_to(ev: Evaluator, container: Place) -> list[Place | None]:
    """Return the lists that a container of PyTorch's is made of: `nn.ModuleList([…])`."""
    made = [one.origin for one in ev.evaluate(container) if module_containers.is_container(one.value)]
    calls = [one for one in made if one is not None and isinstance(one.expression, ast.Call)]
    return [shown for one in calls for shown in _contents(ev, one)]


def _contents(ev: Evaluator, call: Place) -> list[Place | None]:
    """Return the list that a call makes a container of, or the call if it is filled later."""
    assert isinstance(call.expression, ast.Call)
    given = call.expression.args
    return [shown for one in given for shown in _displays(ev, call.at(one))] if given else [call]


def _displays(ev: Evaluator, sequence: Place) -> list[Place | None]:
    return [one.value.place if isinstance(one.value, Display) else None for one in ev.evaluate(sequence)]


def _moves_of_items(container: Place, position: int) -> Iterator[Place]:
    """Yield the calls by which loops move the item at a position: `for layer in self.layers: layer.to(…)`."""
    index = container.file.index
    for method in sorted(MOVES):
        for call, statement in index.calls(method):
            owner, block = moved_in_place(call, statement), index.home[statement][0]
            for one in block.scope.bindings.get(owner.id, ()) if isinstance(owner, ast.Name) else ():
                is_here = isinstance(one.statement, ast.For) and block.owner is one.statement and one.value is not None
                if is_here and one.value is not None and _is_items_of(container, block.scope, one.value, one.selector):
                    yield in_iteration(Place(container.file, call, statement), one.value, position)


def _is_items_of(container: Place, scope: Scope, iterable: ast.expr, selector: tuple[int | None, ...]) -> bool:
    """Tell whether a loop goes through a container, of the same function or the same object."""
    source, left = items_of(iterable, selector)
    is_same = written(source) == written(container.expression) and not left
    is_own = isinstance(source, ast.Attribute) and is_self(source.value) and scope.outer is container.scope.outer
    return is_same and (scope is container.scope or is_own)


def _iterated(source: Place, selector: tuple[int | None, ...]) -> Place | None:
    """Return what a loop variable is an item of: `blocks` of `for i, block in enumerate(blocks)`."""
    match items_of(source.expression, selector):
        case ast.Call(func=ast.Attribute(value=mapping, attr="values"), args=[]), ():
            return source.at(mapping)
        case ast.Call(func=ast.Attribute(value=mapping, attr="items"), args=[]), (1,):
            return source.at(mapping)
        case whole, ():
            return source.at(whole)
        case _:
            return None


def _parts(ev: Evaluator, value: Place, selector: tuple[int | None, ...]) -> Iterator[Residence | None]:
    """Yield where the modules are that a target unpacks from a tuple: `model, criterion = build()`."""
    for one in ev.evaluate(value):
        match one.value:
            case Display(place=Place(expression=ast.Tuple(elts=items)) as written) if len(selector) == 1:
                position = selector[0]
                known = position is not None and position < len(items)
                yield ev.resides(written.at(items[position])) if known and position is not None else None
            case _:
                yield None


def _passed(ev: Evaluator, module: Place, one: Binding) -> Residence | None:
    function = module.file.index.scope_of(one.statement)
    parameter = next(p for p in function.parameters if p.name == one.name)
    frame = module.frame
    while frame is not None and frame.function is not function:
        frame = frame.outer
    if parameter.position == 0 and function.is_method:
        return _of_receiver(ev, module, function, frame)
    call = frame.call if frame is not None else None
    known = (Caller.of_frame(frame, call),) if frame is not None and call is not None else None
    callers = known or ev.callers(Function(module.file, function))
    found: list[Residence | None] = []
    for caller in callers:
        found += [ev.resides(argument) for argument in caller.argument(parameter) or ()]
    return agreed(found)


def _of_receiver(ev: Evaluator, module: Place, function: Scope, frame: Frame | None) -> Residence | None:
    """Return where `self` is: where the receiver of the call in the frame is, if any; else where its makers move it."""
    assert function.outer is not None
    if not is_module(ev, Instance(Class(module.file, function.outer))):
        return None
    if frame is not None and (receiver := receiver_of(frame)) is not None:
        return ev.resides(receiver)
    return None if is_being_made(ev, module.file, function) else Residence(AT_RUN_TIME)


def receiver_of(frame: Frame) -> Place | None:
    """Return the receiver of the method of a frame."""
    if frame.call is None or not isinstance(frame.function, Scope):
        return None
    match frame.call.expression:
        case ast.Call(args=[given, *_]) if frame.is_given:
            return frame.call.at(given)
        case _:
            return own_receiver(frame.call, frame.function)


def own_receiver(call: Place, method: Scope) -> Place | None:
    """Return the receiver of a call: `net` of `net.encode(x)` and of `net(x)`; None if it constructs the object."""
    match call.expression:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)) if name == method.name:
            return _own_object(call)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name == method.name:
            return call.at(owner)
        case ast.Call(func=function) if method.name in OBJECT_CALLS:
            return call.at(function)
        case _:
            return None


def _own_object(call: Place) -> Place | None:
    """Return the object that `super()` refers to: the `self` of the method."""
    function = function_around(call)
    if function is None or not function.parameters:
        return None
    return call.at(_read_at(call.expression, function.parameters[0].name))


@lru_cache(_MOST_READS)
def _read_at(node: ast.expr, name: str) -> ast.Name:
    """Return a read of a name at an expression's position: the same node each time, for memos have nodes as keys."""
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def is_container(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is a container of modules that PyTorch itself defines."""
    return any(module_containers.is_container(one.value) for one in ev.evaluate(place))
