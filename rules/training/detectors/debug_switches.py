"""Debugging features that slow down a program when they are left on.

Anomaly detection records the stack at each operation and checks each gradient for NaN, and with
`CUDA_LAUNCH_BLOCKING=1` the host waits for each kernel:
https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.detect_anomaly
https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from torchlint.model.call_graph.importing import may_share_program, program_files
from torchlint.model.calls import Call, calls_anywhere, calls_of
from torchlint.model.devices.cuda_start import cuda_start_before
from torchlint.model.devices.visible import VARIABLE, visible_gpus
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.options.environment import EnvironmentStore, environment_stores
from torchlint.model.training.fitting import fits
from torchlint.model.training.stepping import backwards
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.anomaly import ANOMALY, SET_ANOMALY
from torchlint.syntax.around import function_around

from .called_within import within
from .chosen import unchosen_ways

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.what_trains import Training
    from torchlint.syntax.scope import Scope

BLOCKING = "CUDA_LAUNCH_BLOCKING"
# Words of code that searches for a mistake, or checks that there is none.
_DEBUGGING = re.compile(
    r"(?<![a-z])(debug[a-z]*|repro|reproduce|sanity|gradcheck|tests?|testing|conftest|diagnos[a-z]*)(?![a-z])"
)
_FOLDERS = frozenset({"test", "tests"})
_DETERMINISTIC = re.compile(r"CUBLAS_WORKSPACE_CONFIG|deterministic_algorithms")
_TAKEN_BACK = re.compile(rf"(\bdel\b|\.pop\(|unsetenv\(|delenv\().*{BLOCKING}")
# What computes gradients, or has a framework do so.
_TRAINING = ("backward(", ".fit(", "Trainer", "def training_step(")


@dataclass(frozen=True, slots=True)
class DebugSwitch:
    """A place that turns on a debugging feature without a choice, and the calls that lead there."""

    place: Place
    how: Literal["anomalies", "launches"]
    story: tuple[Step, ...]
    is_statement: bool


def debug_switches(ev: Evaluator, file: ParsedFile) -> Iterator[DebugSwitch]:
    """Yield where a file turns on a debugging feature in a program that trains afterwards, and never turns it off."""
    training = step_loops_of(ev.project)
    yield from _anomaly_switches(ev, training, file)
    yield from _anomaly_contexts(ev, training, file)
    yield from _blocking_stores(ev, training, file)


def _anomaly_switches(ev: Evaluator, training: Training, file: ParsedFile) -> Iterator[DebugSwitch]:
    for call in calls_of(file, frozenset({SET_ANOMALY})):
        if call.is_statement and _is_on(call) and not _is_switched_elsewhere(ev, file):
            story = _story(ev, training, call)
            if story is not None and _says_any(ev, file, _TRAINING):
                yield DebugSwitch(call, "anomalies", story, True)


def _is_on(call: Call) -> bool:
    mode = call.argument("mode", 0)
    return mode is not None and mode.is_constant and mode.literals == (True,)


def _is_switched_elsewhere(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program with a file turns the detection off again, or on by an option."""
    calls = (call for call in calls_anywhere(ev.project, "set_detect_anomaly") if not _is_on(call))
    return any(may_share_program(ev, file, call.file) for call in calls)


def _anomaly_contexts(ev: Evaluator, training: Training, file: ParsedFile) -> Iterator[DebugSwitch]:
    for call in calls_of(file, frozenset({SET_ANOMALY, ANOMALY})):
        is_on = call.method != "set_detect_anomaly" or _is_on(call)
        if is_on and _is_entered(call) and _is_of_training(ev, training, call):
            story = _story(ev, training, call)
            if story is not None:
                yield DebugSwitch(call, "anomalies", training.every_step(call) or story, False)


def _is_entered(call: Call) -> bool:
    """Tell whether a `with` statement surely enters a call: `with detect_anomaly() if debug else quiet:` may not."""
    block = call.statement
    return isinstance(block, (ast.With, ast.AsyncWith)) and any(
        item.context_expr is call.expression for item in block.items
    )


def _is_of_training(ev: Evaluator, training: Training, call: Call) -> bool:
    """Tell whether a `with` block runs at every step, possibly in one phase, or contains training."""
    if training.every_step(call) is not None:
        return not any(exclude_each_other(call, one) for one in backwards(ev, call.file) if one.scope is call.scope)
    file, block = call.file, call.statement
    calls = (Call(file, *one) for one in file.calls_in_scope(call.scope) if file.index.is_in_body(one[1], block))
    loops = (loop for loop, where in training.loops.items() if where is file)
    return any(file.index.is_in_body(loop, block) for loop in loops) or _train(ev, training, calls)


def _blocking_stores(ev: Evaluator, training: Training, file: ParsedFile) -> Iterator[DebugSwitch]:
    stores = list(environment_stores(file, BLOCKING))
    if not stores or not all(_is_blocking(one) for one in stores) or _TAKEN_BACK.search(file.code):
        return
    if _hides_gpus(file) or not _says_any(ev, file, ("torch",)):
        return
    for store in stores:
        is_deterministic = _DETERMINISTIC.search(file.code_of(store.place.scope.node)) is not None
        story = _story(ev, training, store.place) if not is_deterministic else None
        # The driver reads it once.
        if story is not None and cuda_start_before(ev, store.place) is None:
            yield DebugSwitch(store.place, "launches", story, True)


def _is_blocking(store: EnvironmentStore) -> bool:
    """Tell whether a store makes the host wait, whatever the user has set."""
    value = store.value.expression
    return isinstance(value, ast.Constant) and value.value == "1" and "setdefault" not in store.place.code


def _hides_gpus(file: ParsedFile) -> bool:
    values = (one.value.literals for one in environment_stores(file, VARIABLE))
    return any(isinstance(text, str) and not visible_gpus(text) for literals in values for text in literals or ())


def _says_any(ev: Evaluator, file: ParsedFile, words: tuple[str, ...]) -> bool:
    """Tell whether any file of the programs with a file contains one of these words."""
    files = program_files(ev, file)
    return any(not files.isdisjoint(ev.project.library.holding(word)) for word in words)


def _story(ev: Evaluator, training: Training, place: Place) -> tuple[Step, ...] | None:
    """Return the calls by which a program reaches a place without a choice, None if there are none.

    A function without known callers counts if it trains afterwards.
    """
    for outermost, steps in unchosen_ways(ev, place):
        scope = function_around(outermost)
        is_debugging = any(_is_of_debugging(one) for one in (place, outermost))
        if not is_debugging and (scope is None or _trains(ev, training, outermost.file, scope)):
            return steps
    return None


def _is_of_debugging(place: Place) -> bool:
    """Tell whether the name of the function around a place, or of its file, is about debugging."""
    scope = function_around(place)
    path = PurePath(place.file.path)
    names = f"{path.stem} {scope.qualified_name if scope is not None else ''}"
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", names).lower()
    return _DEBUGGING.search(words) is not None or not _FOLDERS.isdisjoint(path.parts)


def _trains(ev: Evaluator, training: Training, file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function makes training steps, or calls one that does."""
    loops = (loop for loop, where in training.loops.items() if where is file)
    if scope in training.functions or any(file.index.home[loop][0].scope is scope for loop in loops):
        return True
    return _train(ev, training, (Call(file, *one) for one in file.calls_in_scope(scope)))


def _train(ev: Evaluator, training: Training, calls: Iterable[Call]) -> bool:
    """Tell whether one of some calls, or of their callees, trains."""
    found = within(ev, calls)
    loops = {file.index.home[loop][0].scope for loop, file in training.loops.items()}
    return not found.scopes.isdisjoint(loops) or any(fits(ev, call) for call, _ in found.calls)
