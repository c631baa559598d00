"""Generators of another kind of device than what is drawn with them.

ATen refuses them: "Expected a 'cuda' device type for generator but found 'cpu'", and the reverse for what is drawn on
the CPU (`check_generator` in aten/src/ATen/core/Generator.h, torch 2.13).
https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at
from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.literals import devices_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.makers import public_name
from torchlint.model.values.value_sets import Built, Imported, Tensor, ValueSet
from torchlint.model.worlds import BY_DEFAULT
from torchlint.pytorch.device_arguments import HOST_AND_CUDA
from torchlint.pytorch.generators import DRAWING, DRAWING_METHODS, DRAWING_ON_HOST
from torchlint.pytorch.symbols import GENERATOR

from .premises import runs_by_default

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class MismatchedGenerator:
    """A call that draws, with its generator, and where that was made; `kind` is that of the generator."""

    call: Call
    given: Place
    made: Place
    kind: str
    premises: tuple[Step, ...]
    """The steps that assume that the call runs, and that one of both is on a GPU, where no line shows it."""


def mismatched_generators(ev: Evaluator, file: ParsedFile) -> Iterator[MismatchedGenerator]:
    """Yield the calls of a file that draw on one kind of device with a generator of another one."""
    for node, statement in file.index.expressions(ast.Call):
        given = next((word.value for word in node.keywords if word.arg == "generator"), None)
        if given is None or isinstance(given, ast.Constant):
            continue
        call = Call(file, node, statement)
        made = ev.evaluate(call.at(given))
        kind = _kind_of(ev, made)
        drawn = _drawn_on(ev, call) if kind in HOST_AND_CUDA else None
        if kind is None or drawn in {None, kind} or drawn not in HOST_AND_CUDA or is_in_try(call):
            continue
        if is_reachable(ev, call) and made[0].origin is not None:
            yield MismatchedGenerator(call, call.at(given), made[0].origin, kind, _on_gpu(ev, call, made[0].origin))


def _on_gpu(ev: Evaluator, call: Call, made: Place) -> tuple[Step, ...]:
    """Return the step that assumes that the one of both is on a GPU, unless it is by default."""
    sure = ev.project.evaluator(BY_DEFAULT)
    kinds = {_kind_made(sure, call_at(made)), _drawn_on(sure, call)}
    unproved = made.step("assumes that one of both is on a GPU", is_assumed=True)
    return (*runs_by_default(ev, call), *(() if kinds == set(HOST_AND_CUDA) else (unproved,)))


def _kind_of(ev: Evaluator, generators: ValueSet) -> str | None:
    """Return the kind of device that all generators are of, None where one is unknown or they differ."""
    kinds = {_kind_made(ev, call_at(one.origin)) if one.origin else None for one in generators if _is_one(one.value)}
    is_sure = len(kinds) == 1 and all(_is_one(one.value) for one in generators)
    return kinds.pop() if is_sure else None


def _is_one(value: object) -> bool:
    return isinstance(value, Built) and value.name == GENERATOR


def _kind_made(ev: Evaluator, made: Call | None) -> str | None:
    if made is None or made.is_open:
        return None
    device = made.argument("device", 0)
    return _kind_named(ev, device) if device is not None else "cpu"


def _kind_named(ev: Evaluator, device: Place) -> str | None:
    """Return the one kind of device that an expression names, None if it may be another."""
    possible = ev.evaluate(device)
    kinds = {named.kind for named, _ in devices_of(possible)}
    is_sure = len(kinds) == 1 and len(devices_of(possible)) == len(possible)
    return kinds.pop() if is_sure else None


def _drawn_on(ev: Evaluator, call: Call) -> str | None:
    """Return the kind of device that a call surely draws on."""
    if call.method in DRAWING_METHODS and call.owner is not None:
        tensors = [one.value for one in ev.evaluate(call.owner)]
        kinds = {one.device.kind if isinstance(one, Tensor) and one.device is not None else None for one in tensors}
        return kinds.pop() if len(kinds) == 1 else None
    names = {public_name(one.value.name) if isinstance(one.value, Imported) else "" for one in ev.evaluate(call.callee)}
    if not names or not names <= DRAWING | DRAWING_ON_HOST or call.is_open:
        return None
    device = call.keywords.get("device") if names <= DRAWING else None
    if device is not None:
        return _kind_named(ev, device)
    return None if makes_elsewhere(ev, call.file) else "cpu"
