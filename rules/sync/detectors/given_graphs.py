"""Graphs that reach a module's `forward` with its input: statistics of it keep the graph of what ran before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.modules.trainable import is_trainable
from torchlint.model.place import Place
from torchlint.model.tensors.mappings import CallersOfBuilt
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Tensor
from torchlint.model.values.values_of_names import names_read
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.symbols import SEQUENTIAL
from torchlint.syntax.scope import Scope

from .graphs import carries_graph

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.training.what_trains import Training


def is_given_with_graph(ev: Evaluator, training: Training, value: Place) -> bool:
    """Tell whether `forward` computes a value from an input that a step passes to the module with a graph."""
    scope = value.scope
    if scope.name != "forward" or scope.outer is None or not _is_of_input(value):
        return False
    for caller in ev.project.once(CallersOfBuilt(Function(value.file, scope))):
        own = (one for one in ev.callees(caller.place) if one.scope is scope)
        frames = (frame_for(caller.place, function, FRAME_DEPTH) for function in own)
        if any(frame is not None and carries_graph(ev, value.within(frame)) for frame in frames):
            return training.every_step(caller.place) is not None
    return _is_open(value) and _follows_layers(ev, scope.outer)


def _is_open(value: Place) -> bool:
    """Tell whether a value is a tensor whose graph depends on the input alone."""
    # There the inputs of modules are tensors.
    possible = [one.value for one in value.file.project.evaluator(WITH_CUDA).evaluate(value)]
    return bool(possible) and all(isinstance(one, Tensor) and one.graph is None for one in possible)


def _is_of_input(value: Place) -> bool:
    inputs = {one.name for one in value.scope.parameters[1:]}
    return not inputs.isdisjoint(names_read(value))


@tabled(False)
def _follows_layers(ev: Evaluator, kind: Scope) -> bool:
    """Tell whether an object of a class follows a layer with parameters: `Sequential(nn.Linear(4, 8), Norm(8))`."""
    for path in ev.project.library.using(kind.name):
        there = ev.project.parsed(path)
        for call, statement in there.index.calls(kind.name) if there is not None else ():
            assert there is not None
            made = Place(there, call, statement)
            layers = _before(made) if _makes(ev, made, kind) else ()
            if any(is_trainable(ev, one) for layer in layers for one in ev.evaluate(layer)):
                return True
    return False


def _makes(ev: Evaluator, call: Place, kind: Scope) -> bool:
    assert isinstance(call.expression, ast.Call)
    made = (one.value for one in ev.evaluate(call.at(call.expression.func)))
    return any(isinstance(one, Class) and one.scope is kind for one in made)


def _before(made: Place) -> Iterator[Place]:
    """Yield the layers that stand before a module in the call of `Sequential` that makes it."""
    around = made.file.parents_in(made.statement).get(made.expression)
    if isinstance(around, ast.Call) and SEQUENTIAL in made.at(around.func).names and made.expression in around.args:
        yield from (made.at(one) for one in around.args[: around.args.index(made.expression)])
