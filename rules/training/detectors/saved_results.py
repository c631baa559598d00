"""Results that autograd saves for `backward()`, changed in place before it: it raises, or uses wrong numbers.

The gradient of `sigmoid`, `exp`, `softmax` or `relu` is computed from their result. Checked on torch 2.13: after `y =
torch.sigmoid(x)`, `y *= 2` makes `backward()` raise "one of the variables needed for gradient computation has been
modified by an inplace operation", and after `y.data *= 2` the gradient is wrong, without an error.
https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import program_files
from torchlint.model.guards.catching import is_caught, is_expected
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.makers import Maker, makers, public_name
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.freezing import is_frozen_in
from torchlint.model.training.grad_mode import is_asked_for, is_recorded
from torchlint.model.values.value_sets import Built, Imported, Tensor
from torchlint.pytorch.saved_results import SAVING
from torchlint.pytorch.symbols import COMPILED, SEQUENTIAL
from torchlint.pytorch.views import ONE_VIEW
from torchlint.syntax.last_names import callee_name

from .always_recording import is_switched_off
from .backward_paths import backward_through
from .in_place import changes_in_place

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Binding

_SAID = re.compile(r"\b(Log)?(ReLU|Sigmoid|Soft(max|max2d|min)|Tanh)\b|= *(torch|F|functional)\.\w+\b(?! *\()")
_NAMES = frozenset(name.rpartition(".")[2] for name in SAVING)


@dataclass(frozen=True, slots=True)
class SavedResult:
    """A change in place of what `backward()` needs unchanged."""

    place: Place
    """The target of an assignment, or the call."""
    made: Maker
    backward: Place
    is_hidden: bool
    """Whether the change goes through `.data`, where autograd does not see it."""


def changed_results(ev: Evaluator, file: ParsedFile) -> Iterator[SavedResult]:
    """Yield where a file changes what `backward()` surely computes gradients from, on some path of training."""
    for place, changed in changes_in_place(file):
        is_hidden = isinstance(changed.expression, ast.Attribute) and changed.expression.attr == "data"
        tensor = changed.owner if is_hidden else changed
        if tensor is None or not isinstance(tensor.expression, ast.Name):
            continue
        found = _definitions(ev, tensor, place)
        made = [_saving(ev, one) for one in found]
        if not made or None in made or is_asked_for(place) or not is_reachable(ev, place) or _is_without_harm(ev, file):
            continue
        kept = [one for one in made if one is not None]
        back = backward_through(ev, [place, *(one.call for one in kept)], place)
        if back is not None and not is_caught(back) and not is_expected(back):
            yield SavedResult(place, kept[0], back, is_hidden)


def _definitions(ev: Evaluator, tensor: Place, change: Place) -> list[Place]:
    """Return the calls whose results a name may hold where it is changed, none if it may hold anything else."""
    bindings = tensor.scope.bindings.get(tensor.word, ())
    if tensor.scope.kind != "function" or not any(isinstance(one.value, ast.Call) for one in bindings):
        return []
    found = [one for one in definitions(ev, tensor) if one.statement is not change.statement]
    calls = [_call_of(tensor, one) for one in found]
    kept = [one for one in calls if one is not None]
    return kept if len(kept) == len(found) else []


def _call_of(tensor: Place, one: Binding) -> Place | None:
    """Return the call that makes what is bound, without those that only change its shape."""
    value = one.value if one.kind == "assign" and not one.selector else None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ONE_VIEW:
        value = value.func.value
    return Place(tensor.file, value, one.statement) if isinstance(value, ast.Call) else None


def _saving(ev: Evaluator, call: Place) -> Maker | None:
    """Return the callee of a call if it saves its result, and that surely has a graph which is recorded."""
    if not _may_save(ev, call) or not is_recorded(call):
        return None
    found = [one if one is not None and one.call.expression is call.expression else None for one in makers(ev, call)]
    is_saving = all(one is not None and one.name in SAVING for one in found)
    possible = ev.evaluate(call)
    has_graph = all(isinstance(one.value, Tensor) and one.value.graph is True for one in possible)
    return found[0] if found and possible and is_saving and has_graph else None


def _may_save(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call may run what saves its result, by its callee alone."""
    assert isinstance(call.expression, ast.Call)
    if callee_name(call.expression) in _NAMES:
        return True
    # Code that makes a layer which saves its result, or an alias of a function, has its name nearby.
    if _SAID.search(call.file.code) is None:
        return False
    called = [one.value for one in ev.evaluate(call.at(call.expression.func))]
    names = [one.name for one in called if isinstance(one, (Built, Imported))]
    return any(name == SEQUENTIAL or public_name(name) in SAVING for name in names)


def _is_without_harm(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program may freeze the operands, disable recording, or compile the change away."""
    files, library = program_files(ev, file), ev.project.library
    compiling = {path for text in (COMPILED, ".compile(") for path in library.holding(text)}
    return not compiling.isdisjoint(files) or is_frozen_in(ev, files) or ev.project.once(is_switched_off)
