"""Training that bypasses DistributedDataParallel, which then reduces no gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.parallel.wrappers import Wrapping, inside, makes_distributed, wrapping
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.def_use import uses_of
from torchlint.model.values.value_sets import Function, Possibility, Tensor, Unknown, ValueSet
from torchlint.pytorch.distributed import SUMMING
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.call_paths import Story


@dataclass(frozen=True, slots=True)
class Bypass:
    """A call of the module inside a wrapper, or of a part of it, that is trained through."""

    place: Place
    wrapping: Wrapping
    story: Story


def bypasses(ev: Evaluator, file: ParsedFile) -> Iterator[Bypass]:
    """Yield the training steps that call a part of `ddp.module` and never `ddp(…)`, once a statement."""
    seen: set[ast.stmt] = set()
    if not ev.project.once(makes_distributed):
        return
    for read, owner in _takings(file):
        wrapped = _distributed(ev, owner)
        for place in _uses_of_module(ev, read, wrapped) if wrapped else ():
            if (call := _call_of(place)) is None or call.statement in seen:
                continue
            if (found := _bypass(ev, call, owner, wrapped)) is not None:
                seen.add(call.statement)
                yield found


def _takings(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield where a file reads the module in a wrapper, each with the wrapper: `.module`, `getattr(…, "module")`."""
    for node, statement in file.attribute_reads("module"):
        read = Place(file, node, statement)
        yield read, read.at(node.value)
    for call, statement in file.index.calls("getattr"):
        match call.args:
            case [owner, ast.Constant(value="module"), *_]:
                read = Place(file, call, statement)
                yield read, read.at(owner)


def _uses_of_module(ev: Evaluator, read: Place, wrapped: tuple[Wrapping, ...]) -> Iterator[Place]:
    """Yield where the module inside is read, or a part of it, also by a name that is bound to nothing else."""
    modules = {module for one in wrapped for module in inside(ev, one.possibility) or ()}
    parts = ev.evaluate(read.at(_whole_attribute(read)))
    for use in uses_of(ev, read):
        if use.place == read:
            yield read
        elif use.is_whole and not use.inside and _is_any_of(ev.evaluate(use.place), modules.union(parts)):
            yield use.place


def _whole_attribute(read: Place) -> ast.expr:
    """Return the longest chain of attributes from a read: `ddp.module.encoder`."""
    parents = read.file.parents_in(read.statement)
    top = read.expression
    while isinstance(parent := parents.get(top), ast.Attribute):
        top = parent
    return top


def _is_any_of(possible: ValueSet, modules: set[Possibility]) -> bool:
    is_known = all(not isinstance(one.value, Unknown) and one in modules for one in possible)
    return bool(possible) and is_known


def _bypass(ev: Evaluator, call: Place, owner: Place, wrapped: tuple[Wrapping, ...]) -> Bypass | None:
    training = step_loops_of(ev.project)
    story = training.every_step(call)
    if story is None or not is_recorded(call) or not _computes(ev, call) or _is_reduced(call):
        return None
    if _is_called_by_name(call, owner) or any(_is_called_in(ev, story[0], one) for one in wrapped):
        return None
    return Bypass(call, wrapped[0], story)


def _call_of(module: Place) -> Place | None:
    """Return the call of a module, or of a direct attribute of it: `ddp.module.encoder(x)`."""
    function = _whole_attribute(module)
    parent = module.file.parents_in(module.statement).get(function)
    return module.at(parent) if isinstance(parent, ast.Call) and parent.func is function else None


def _distributed(ev: Evaluator, owner: Place) -> tuple[Wrapping, ...]:
    """Return the wrappers that `.module` is read from; without any wrapper that would raise."""
    wrappings = tuple(found for one in ev.evaluate(owner) if (found := wrapping(ev, one)) is not None)
    return wrappings if all(one.name == DISTRIBUTED for one in wrappings) else ()


def _computes(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call runs layers: a module, `forward`, or a method whose result has their graph."""
    assert isinstance(call.expression, ast.Call)
    function = call.expression.func
    if isinstance(function, ast.Attribute) and function.attr in {"module", "forward", "__call__"}:
        return True
    for one in ev.evaluate(call.at(function)):
        if is_module(ev, one.value):
            return True
        if isinstance(one.value, Function):
            return any(isinstance(r.value, Tensor) and r.value.graph is True for r in ev.evaluate(call))
    return False


def _is_called_by_name(call: Place, owner: Place) -> bool:
    """Tell whether the function around a call calls the wrapper as well: then its hooks reduce all gradients."""
    if owner.scope is not call.scope:
        return False
    names = _names_of_call(written(owner.expression))
    for other, statement in call.file.calls_in_scope(call.scope):
        place = Place(call.file, other, statement)
        if other is not call.expression and written(other.func) in names and is_recorded(place):
            return True
    return False


def _is_called_in(ev: Evaluator, loop: Step, wrapped: Wrapping) -> bool:
    """Tell whether any function that runs in the iterations of a loop calls the wrapper as well."""
    training = step_loops_of(ev.project)
    for use in uses_of(ev, wrapped.place):
        call = _call_of(use.place) if use.is_whole else None
        if (
            call is None
            or _is_of_part(call, use.place)
            or not any(one == wrapped.possibility for one in ev.evaluate(use.place))
        ):
            continue
        if loop in (training.every_step(call) or ()) and is_recorded(call):
            return True
    return False


def _is_of_part(call: Place, owner: Place) -> bool:
    """Tell whether a call is of an attribute of a module: `ddp.module(x)` does not run `ddp`."""
    assert isinstance(call.expression, ast.Call)
    return written(call.expression.func) not in _names_of_call(written(owner.expression))


def _names_of_call(name: str) -> tuple[str, ...]:
    return (name, f"{name}.forward", f"{name}.__call__")


def _is_reduced(call: Place) -> bool:
    """Tell whether the file reduces gradients itself: `all_reduce(parameter.grad)`."""
    return any(".grad" in written(reduction) for name in SUMMING for reduction, _ in call.file.index.calls(name))
