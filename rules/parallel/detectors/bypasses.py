"""Training that goes past DistributedDataParallel, which then reduces no gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.linking.classes import is_module
from torchlint.model.parallel.wrappers import Wrapping, makes_distributed, wrapping
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.steps import training_of
from torchlint.model.values.possible import Function, Tensor
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.entering import Story


@dataclass(frozen=True, slots=True)
class Bypass:
    """A call of the module inside a wrapper, or of a part of it, that is trained through."""

    place: Place
    wrapping: Wrapping
    story: Story


def bypasses(ev: Evaluator, file: ParsedFile) -> Iterator[Bypass]:
    """Yield the training steps of a file that call `ddp.module(…)` and never `ddp(…)`, once for each statement."""
    seen: set[ast.stmt] = set()
    if not ev.project.once(makes_distributed):
        return
    training = training_of(ev.project)
    for node, statement in file.attribute_reads("module") if file in training.files else ():
        owner = Place(file, node.value, statement)
        call = _call_of_module(file, node, statement)
        if call is None or statement in seen or (story := training.every_step(call)) is None or not is_recorded(call):
            continue
        wrapped = _distributed(ev, owner)
        if wrapped is None or not _computes(ev, call) or _is_called_too(call, owner) or _is_reduced(call):
            continue
        seen.add(statement)
        yield Bypass(call, wrapped, story)


def _call_of_module(file: ParsedFile, node: ast.Attribute, statement: ast.stmt) -> Place | None:
    """Return the call of `ddp.module`, or of something right below it: `ddp.module.encoder(x)`."""
    parents = file.parents_in(statement)
    top: ast.AST = node
    while isinstance(parent := parents.get(top), ast.Attribute):
        top = parent
    if isinstance(parent, ast.Call) and parent.func is top:
        return Place(file, parent, statement)
    return None


def _distributed(ev: Evaluator, owner: Place) -> Wrapping | None:
    """Return the wrapper that `.module` is taken from; what has no wrapper at all would raise there."""
    wrappings = [found for one in ev.evaluate(owner) if (found := wrapping(ev, one)) is not None]
    return wrappings[0] if wrappings and all(one.name == DISTRIBUTED for one in wrappings) else None


def _computes(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call runs layers: a module, `forward`, or a method that returns what carries their graph."""
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


def _is_called_too(call: Place, owner: Place) -> bool:
    """Tell whether the same step goes through the wrapper as well: then its hooks reduce all gradients."""
    name = written(owner.expression)
    for other, statement in call.file.calls_in_scope(call.scope):
        if written(other.func) in {name, f"{name}.forward"} and is_recorded(Place(call.file, other, statement)):
            return True
    return False


def _is_reduced(call: Place) -> bool:
    """Tell whether the file reduces gradients itself: `all_reduce(parameter.grad)`."""
    return any(
        ".grad" in written(reduction)
        for name in ("all_reduce", "all_reduce_coalesced", "reduce")
        for reduction, _ in call.file.index.calls(name)
    )
