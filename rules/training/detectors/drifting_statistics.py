"""Parts of modules that are frozen by `requires_grad`, and whose batch norms update their statistics all the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.calls import Call, call_at, calls_anywhere
from torchlint.model.modules.tracked_statistics import tracks_statistics
from torchlint.model.place import Place
from torchlint.model.tensors.mappings import CallersOfBuilt
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.requires_grad_stores import requires_grad_stores
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class Drifting:
    """Where a part of a module is frozen, and where the whole is called in training mode."""

    frozen: Place
    part: Place
    called: Place


def drifting_statistics(ev: Evaluator, file: ParsedFile) -> Iterator[Drifting]:
    """Yield where a file freezes a part with batch norms that goes on in training mode, in source order."""
    for frozen in requires_grad_stores(file, False):
        part = _part_of(ev, frozen)
        if part is None or _is_tested(frozen) or not _tracks(ev, part):
            continue
        kind = _whole_of(ev, part)
        called = _called_in_training(ev, kind) if kind is not None else None
        if kind is None or called is None:
            continue
        if not _is_put_into_eval(ev, part, kind, (part.file, called.file)):
            yield Drifting(frozen, part, called)


def _part_of(ev: Evaluator, frozen: Place) -> Place | None:
    """Return the attribute that is frozen: `net.body` of `for p in net.body.parameters(): p.requires_grad = False`."""
    if isinstance(frozen.expression, ast.Attribute):
        return frozen if ev.is_module(frozen) else None
    if not isinstance(frozen.expression, ast.Name):
        return None
    found = definitions(ev, frozen)
    iterated = [(one.value, one.statement) for one in found if one.kind == "iterate" and one.value is not None]
    if len(found) != 1 or not iterated:
        return None
    call = call_at(Place(frozen.file, *iterated[0]))
    is_listing = call is not None and call.method in PARAMETERS_OF and not call.arguments
    owner = call.owner if call is not None and is_listing else None
    return owner if owner is not None and isinstance(owner.expression, ast.Attribute) else None


def _is_tested(frozen: Place) -> bool:
    """Tell whether a test decides what is frozen, or whether anything is."""
    return any(isinstance(block.owner, ast.If) for block, _ in frozen.file.index.blocks_around(frozen.statement))


def _tracks(ev: Evaluator, part: Place) -> bool:
    possible = ev.evaluate(part)
    return bool(possible) and all(tracks_statistics(ev, one) for one in possible)


def _whole_of(ev: Evaluator, part: Place) -> Class | None:
    """Return the class of the module that something is a part of, None where that is open or changes its modes."""
    owner = part.owner
    if owner is None:
        return None
    around = class_around(part)
    if is_self(owner.expression) and around is not None:
        found: set[object] = {Class(part.file, around)}
    else:
        found = {one.value.kind if isinstance(one.value, Instance) else None for one in ev.evaluate(owner)}
    kind = found.pop() if len(found) == 1 else None
    if not isinstance(kind, Class) or not is_module(ev, Instance(kind)) or method_of(ev, kind, "train") is not None:
        return None
    return kind


def _called_in_training(ev: Evaluator, kind: Class) -> Place | None:
    """Return where a training loop calls a module of a class with every step."""
    forward = method_of(ev, kind, "forward")
    if forward is None:
        return None
    callers = ev.project.once(CallersOfBuilt(Function(forward.file, forward.scope)))
    places = (one.place for one in callers)
    return next((one for one in places if step_loops_of(ev.project).every_step(one) is not None), None)


def _is_put_into_eval(ev: Evaluator, part: Place, kind: Class, files: tuple[ParsedFile, ...]) -> bool:
    """Tell whether a program of some files may put a part into eval mode, or leaves the whole in it."""

    def is_of_program(call: Call) -> bool:
        return any(may_share_program(ev, call.file, file) for file in files)

    switches, modes = (
        [one for one in calls_anywhere(ev.project, word) if one.owner is not None and is_of_program(one)]
        for word in ("eval", "train")
    )
    switches += [call for call in modes if call.arguments or call.keywords]
    if any(_may_be_part(ev, call, part) for call in switches):
        return True
    is_evaluated, is_trained = (any(_is_of_class(ev, call, kind) for call in calls) for calls in (switches, modes))
    return is_evaluated and not is_trained


def _may_be_part(ev: Evaluator, call: Call, part: Place) -> bool:
    """Tell whether a call may switch the mode of a part, and not that of another object."""
    assert call.owner is not None
    parts = {one.value for one in ev.evaluate(part)}
    values = [one.value for one in ev.evaluate(call.owner)]
    return not values or not all(isinstance(one, Instance) and one not in parts for one in values)


def _is_of_class(ev: Evaluator, call: Call, kind: Class) -> bool:
    possible = ev.evaluate(call.owner) if call.owner is not None else ()
    return bool(possible) and all(one.value == Instance(kind) for one in possible)
