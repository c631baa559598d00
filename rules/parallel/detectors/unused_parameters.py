"""Modules under DistributedDataParallel with parts that get no gradient, as their `forward` does not use them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.def_use import uses_of
from torchlint.model.values.value_sets import Instance, Literal
from torchlint.pytorch.grad_modes import FREEZING
from torchlint.pytorch.reducers import LEFT_OUT, TOLERANT
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.arguments import is_flag

from .read_parts import files_saying
from .unused_parts import Part, unused_parts

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class UnusedParameters:
    """A call that wraps a module, its parts without gradients, and where it is called in training."""

    wrapping: Call
    parts: tuple[Part, ...]
    called: Place


def unused_parameters(ev: Evaluator, file: ParsedFile) -> Iterator[UnusedParameters]:
    """Yield the modules that a file wraps though their `forward` leaves parameters unused, in source order."""
    for call in calls_of(file, frozenset({DISTRIBUTED})):
        module = call.argument("module", 0)
        if module is None or call.is_open or _is_tolerant(ev, call) or not step_loops_of(ev.project).is_anywhere:
            continue
        possible = ev.evaluate(module)
        kind = possible[0].value if len(possible) == 1 else None
        if not isinstance(kind, Instance) or not (parts := tuple(unused_parts(ev, kind.kind))):
            continue
        if not _leaves_some_out(ev, file) and (called := _called(ev, call)) is not None:
            yield UnusedParameters(call, parts, called)


def _is_tolerant(ev: Evaluator, call: Call) -> bool:
    """Tell whether a wrapper may do without some gradients."""
    given = (call.argument(name, position) for name, position in TOLERANT.items())
    return any(
        one is not None and not all(possible.value == Literal(False) for possible in ev.evaluate(one)) for one in given
    )


def _called(ev: Evaluator, made: Call) -> Place | None:
    """Return where a training loop calls what a call wraps, None if none is known to."""
    for use in uses_of(ev, made):
        around = use.place.parent if use.is_whole and not use.inside else None
        if around is None or not isinstance(around.expression, ast.Call):
            continue
        is_called = around.expression.func is use.place.expression
        if is_called and is_recorded(around) and step_loops_of(ev.project).every_step(around) is not None:
            return around
    return None


def _leaves_some_out(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program with a file may freeze parameters, or names those that are not reduced."""
    if any(True for _ in files_saying(ev, file, LEFT_OUT)):
        return True
    return any(map(_freezes, files_saying(ev, file, *FREEZING)))


def _freezes(file: ParsedFile) -> bool:
    calls = (call for call, _ in file.index.calls("requires_grad_"))
    stores = file.index.attribute_stores("requires_grad")
    return any(call.args or call.keywords for call in calls) or any(not is_flag(one.value, True) for one in stores)
