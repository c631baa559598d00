"""Modules that stay on the host, with inputs on the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.guards.for_host import is_for_host
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Frame, Function, Instance, Possibility
from torchlint.model.worlds import WITH_CUDA
from torchlint.syntax.around import class_around, is_self

from .kept_modules import stays_in_view
from .meetings import Kind, called_by, meetings, operations_in
from .mixing import is_beside_host_module
from .modules_made import has_tensors, moves_itself
from .own_tensors import mixes_its_own
from .premises import premises

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

_NO_TENSOR: Place | None = None


@dataclass(frozen=True, slots=True)
class UnmovedModule:
    """A call of a module on the host, with a tensor on the device."""

    place: Place
    made: Place
    """The call that makes the module."""
    tensor: Place

    @property
    def on_gpu(self) -> tuple[Step, ...]:
        """Return the steps that show, or assume, that the tensor is on the device."""
        owner = premises(self.place.file.project.evaluator(WITH_CUDA), self.place, self.tensor)
        return (*owner, self.tensor.step("on the GPU here"))


def unmoved_modules(ev: Evaluator, file: ParsedFile) -> Iterator[UnmovedModule]:
    """Yield the calls of a file that raise as the module was left on the host; `ev` has a GPU."""
    if makes_elsewhere(ev, file):
        return
    for scope in file.index.scopes:
        for place in operations_in(file, scope, None) if scope.kind != "class" else ():
            made = _on_host(ev, place)
            tensor = _taken_on_device(ev, place) if made is not None else None
            if made is None or tensor is None or is_beside_host_module(ev, place, tensor):
                continue
            if is_reachable(ev, place) and not is_for_host(ev, place):
                yield UnmovedModule(place, made, tensor)


def _on_host(ev: Evaluator, call: Place) -> Place | None:
    """Return where the module of a call is made, if every possibility stays on the host."""
    if not isinstance(call.expression, ast.Call):
        return None
    called = called_by(call.expression)
    if not _may_hold_module(call, called) or _is_part_of_module(ev, call, called):
        return None
    function = call.at(called)
    callees = ev.evaluate(function)
    # Most callees are functions, and parameters that any module may be passed for: no call in view makes them.
    if not all(one.origin is not None and isinstance(one.origin.expression, ast.Call) for one in callees):
        return None
    if not callees or ev.residence(function) not in {None, HOST}:
        return None
    return callees[0].origin if all(stays_in_view(ev, one, call) for one in callees) else None


def _may_hold_module(call: Place, function: ast.expr) -> bool:
    """Tell whether a callee may be an object, by its syntax; most are functions and methods."""
    match function:
        case ast.Name(id=name):
            bindings = call.scope.seen(name) or ()
            return any(one.kind in {"assign", "iterate", "parameter"} for one in bindings) or _is_inside(call)
        case ast.Attribute(attr=name):
            return bool(call.file.index.attribute_stores(name))
        case _:
            return True


def _is_part_of_module(ev: Evaluator, call: Place, function: ast.expr) -> bool:
    """Tell whether what is called is an attribute of a module, which takes its parts along: `self.layer(x)`.

    The module that has the attribute may be moved. It is the most frequent call of a module, and the cheapest to test.
    """
    if not isinstance(function, ast.Attribute) or not is_self(function.value) or not call.scope.is_method:
        return False
    kind = class_around(call)
    return kind is not None and is_module(ev, Instance(Class(call.file, kind)))


def _is_inside(call: Place) -> bool:
    """Tell whether a call is in a statement with a comprehension or a lambda, which have names of their own."""
    return call.file.parents_in(call.statement).bind


@tabled(_NO_TENSOR)
def _taken_on_device(ev: Evaluator, call: Place) -> Place | None:
    """Return what is on the device and meets the parameters of the module of a call."""
    for meeting in meetings(ev, call):
        if meeting.kind is Kind.MODULE and meeting.callee is not None:
            on_device = next((one for one in meeting.operands if is_on_the_device(ev, one, call)), None)
            if on_device is not None and _uses_parameters(ev, call, meeting.callee):
                return on_device
    return None


def _uses_parameters(ev: Evaluator, call: Place, module: Possibility) -> bool:
    """Tell whether a module uses its input without moving it, with tensors of its own or in a layer of its own."""
    if not isinstance(module.value, Instance):
        return has_tensors(ev, module)
    method = method_of(ev, module.value.kind, "forward", module)
    frame = frame_for(call, method, NESTED) if method is not None else None
    if method is None or frame is None or moves_itself(ev, module.value.kind):
        return False
    return mixes_its_own(ev, module.value.kind, method, frame) or any(
        _taken_on_device(ev, inner) is not None for inner in _own_calls(ev, module.value.kind, method, frame)
    )


def _own_calls(ev: Evaluator, kind: Class, method: Function, frame: Frame) -> Iterator[Place]:
    """Yield the calls of the parts that an object makes for itself, with the arguments of its method."""
    for place in operations_in(method.file, method.scope, frame):
        called = ev.evaluate(place.at(place.expression.func)) if isinstance(place.expression, ast.Call) else ()
        if called and all(_is_made_within(ev, kind, one) for one in called):
            yield place


def _is_made_within(ev: Evaluator, kind: Class, part: Possibility) -> bool:
    """Tell whether a class, or a base, makes a module in one of its methods."""
    scope = class_around(part.origin) if part.origin is not None else None
    return any(isinstance(base, Class) and base.scope is scope for base in family(ev, kind))
