"""Modules that are evaluated in train mode, as they are made: nothing in the program calls `eval()`.

`torch.no_grad()` and `torch.inference_mode()` do not change the mode of a module.
https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import are_related, is_module
from torchlint.model.call_graph.importing import may_share_program, program_files
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.training.evaluation import every_evaluated_batch, is_given_batch, is_within_step
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.syntax.around import class_around, is_self

from .mode_layers import are_moded
from .only_read import has_reads, is_only_read
from .trained_module import origins_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.what_trains import Training

# These names show an intention: sampling, timing, or gathering statistics; a test may call a module in any mode.
_WANTED = re.compile(
    r"MC|(^|_)mc_|(?i:monte|bayes|stochastic|uncertain|sampl|ensembl|bench|profil|warm|calibrat|statist|(^|_)bn_|update_bn"
    r"|(^|[._])tests?_)"
)


@dataclass(frozen=True, slots=True)
class LeftInTrain:
    """A call that evaluates a module in train mode, and where that was trained or loaded."""

    call: Call
    learned: Place
    is_recorded: bool
    """Whether autograd records it: that it evaluates shows only in what becomes of the result."""


def left_in_train(ev: Evaluator, file: ParsedFile) -> Iterator[LeftInTrain]:
    """Yield the calls of a file that evaluate a module which nothing puts into eval mode, each function's first."""
    training = step_loops_of(ev.project)
    seen: set[tuple[object, str]] = set()
    for call in _calls_of_modules(file):
        module = call.callee
        # Nearly all that is called has no layer with a mode.
        if (call.scope, module.code) in seen or not are_moded(ev, ev.evaluate(module)):
            continue
        if not _evaluates(ev, training, call) or _may_be_switched(ev, module):
            continue
        records = is_recorded(call)
        if records and not is_only_read(ev, call):
            continue
        if (learned := _learned(ev, module)) is not None:
            seen.add((call.scope, module.code))
            yield LeftInTrain(call, learned, records)


def _calls_of_modules(file: ParsedFile) -> Iterator[Call]:
    """Yield the calls of a name or own attribute that autograd does not record, or that may be read only."""
    for scope in file.index.scopes:
        if scope.kind == "class" or _WANTED.search(scope.qualified_name):
            continue
        reads = has_reads(file, scope)
        for node, statement in file.calls_in_scope(scope):
            call = Call(file, node, statement)
            if not _is_plain(call.callee.expression) or call.is_statement:
                continue
            if reads or not is_recorded(call):
                yield call


def _is_plain(callee: ast.expr) -> bool:
    return isinstance(callee, ast.Name) or (isinstance(callee, ast.Attribute) and is_self(callee.value))


def _evaluates(ev: Evaluator, training: Training, call: Call) -> bool:
    """Tell whether a call evaluates: in a loop over batches beside training, or in a program that never trains."""
    kind = class_around(call)
    if kind is not None and is_module(ev, Instance(Class(call.file, kind))):
        return False
    if is_within_step(ev, training, call) and not _evaluates_at_times(ev, training, call):
        return False
    return is_given_batch(call) or _is_given_batches(ev, call) or not _is_of_training_program(ev, call.file)


def _evaluates_at_times(ev: Evaluator, training: Training, call: Call) -> bool:
    """Tell whether a call is made for each batch of an evaluation that few steps start: `if step % n == 0`."""
    if is_recorded(call) or training.every_step(call) is not None:
        return False
    return every_evaluated_batch(ev, training, call) is not None


def _is_given_batches(ev: Evaluator, call: Call) -> bool:
    """Tell whether a method passes on what all its callers take from a loop: `self.check(x)` for each `x`."""
    if not call.scope.is_method:
        return False
    places = [one.place for one in ev.callers(Function(call.file, call.scope))]
    return bool(places) and all(is_given_batch(Call(one.file, one.expression, one.statement)) for one in places)


def _is_of_training_program(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program with a file may train anything."""
    run = program_files(ev, file)
    return any(path in run for text in (".backward(", ".fit(", ".train_") for path in ev.project.library.holding(text))


def _may_be_switched(ev: Evaluator, module: Place) -> bool:
    """Tell whether anything may put a module into eval mode."""
    stores = (path for text in (".training =", ".training=") for path in ev.project.library.holding(text))
    files = (ev.project.parsed(path) for path in stores)
    if any(file is not None and may_share_program(ev, module.file, file) for file in files):
        return True
    switches = (call for name in ("eval", "train") for call in calls_anywhere(ev.project, name))
    return any(
        call.owner is not None
        and not _keeps_training(call)
        and may_share_program(ev, module.file, call.file)
        and _may_be(ev, call.owner, module)
        for call in switches
    )


def _keeps_training(call: Call) -> bool:
    return call.method == "train" and [one.literals for one in call.arguments] in ([], [(True,)]) and not call.is_open


def _may_be(ev: Evaluator, one: Place, module: Place) -> bool:
    """Tell whether something may be a module, or an object that it is a part of."""
    others = [kind for other in ev.evaluate(module) for kind in _kinds(ev, other)]
    found = [kind for it in ev.evaluate(one) for kind in _kinds(ev, it)]
    if not found or None in found or None in others:
        return True
    return any(_may_be_one(ev, kind, other) for kind in found for other in others if kind and other)


def _kinds(ev: Evaluator, one: Possibility) -> Iterator[Class | None]:
    """Yield the classes of a value, and of what it wraps; None if it is none of the project."""
    inner = unwrapped(ev, one)
    for part in (one,) if inner is None else inner:
        yield part.value.kind if isinstance(part.value, Instance) else None


def _may_be_one(ev: Evaluator, one: Class, other: Class) -> bool:
    return are_related(ev, one, other) or is_module(ev, Instance(one))


def _learned(ev: Evaluator, module: Place) -> Place | None:
    """Return where an optimizer receives a module's parameters, or these are loaded."""
    made = _made_by(ev, module)
    calls = (call for name in ("load_state_dict", "parameters") for call in calls_anywhere(ev.project, name))
    return next((call for call in calls if call.owner and not made.isdisjoint(_made_by(ev, call.owner))), None)


def _made_by(ev: Evaluator, module: Place) -> set[ast.expr]:
    """Return the calls that may have made a module, in any call context."""
    return {one.expression for one in origins_of(ev, module)}
