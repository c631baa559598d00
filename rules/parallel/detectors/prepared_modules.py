"""Attributes of a module that are asked of what `accelerator.prepare` gave back for it, which may be a wrapper."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.linking.classes import is_module, method_of
from torchlint.model.place import Place
from torchlint.model.values.possible import Built, Instance
from torchlint.model.values.uses import uses_of
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.pytorch.wrappers import PREPARING
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import parent_of, tests_behind
from torchlint.syntax.walk import written

from .wrapper_attributes import OF_WRAPPER, is_probed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_NAMES = sorted({name.rpartition(".")[2] for name in PREPARING})
# Who asks for one of these knows of the wrapper.
_KNOWING = ("isinstance", "num_processes", "distributed_type", "use_distributed")


@dataclass(frozen=True, slots=True)
class PreparedAttribute:
    """A read of a method that only the module inside has, and the call that may have wrapped the module."""

    place: Place
    prepared: Place


def prepared_attributes(ev: Evaluator, file: ParsedFile) -> Iterator[PreparedAttribute]:
    """Yield where what a file had prepared is asked for a method of its module, in this file or in others."""
    found: set[tuple[str, int, int, int, int]] = set()
    for name in _NAMES:
        for call, statement in file.index.calls(name):
            prepared = Place(file, call, statement)
            for position in _modules(ev, prepared):
                for read in _asked(ev, prepared, position):
                    if read.key not in found:
                        found.add(read.key)
                        yield PreparedAttribute(read, prepared)


def _modules(ev: Evaluator, prepared: Place) -> Iterator[int]:
    """Yield which arguments are modules of the project that something is trained of."""
    call = prepared.expression
    assert isinstance(call, ast.Call)
    if not isinstance(call.func, ast.Attribute) or has_star(call.args):
        return
    owners = [one.value for one in ev.evaluate(prepared.at(call.func.value))]
    preparing = {name for name in PREPARING if name.rpartition(".")[2] == call.func.attr}
    if not owners or not all(isinstance(one, Built) and f"{one.name}.{call.func.attr}" in preparing for one in owners):
        return
    for position, argument in enumerate(call.args):
        if _is_own_module(ev, prepared.at(argument)) and not _is_frozen(prepared, argument):
            yield position


def _is_own_module(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(isinstance(one.value, Instance) and is_module(ev, one.value) for one in possible)


def _is_frozen(prepared: Place, module: ast.expr) -> bool:
    """Tell whether the file freezes a module: what has nothing to train is not wrapped."""
    return any(
        isinstance(call.func, ast.Attribute) and written(call.func.value) == written(module)
        for call, _ in prepared.file.index.calls("requires_grad_")
    )


def _asked(ev: Evaluator, prepared: Place, position: int) -> Iterator[Place]:
    """Yield the reads of methods of the module on what was given back for it."""
    call = prepared.expression
    assert isinstance(call, ast.Call)
    kinds = [one.value for one in ev.evaluate(prepared.at(call.args[position])) if isinstance(one.value, Instance)]
    inside = (position,) if len(call.args) > 1 else ()
    for use in uses_of(ev, prepared, inside):
        read = parent_of(use.place)
        if (
            not use.is_whole
            or use.inside
            or not isinstance(read, ast.Attribute)
            or read.value is not use.place.expression
        ):
            continue
        if read.attr in OF_WRAPPER[DISTRIBUTED] or not all(method_of(ev, one.kind, read.attr) for one in kinds):
            continue
        if not _is_known(use.place.at(read), written(read.value)):
            yield use.place.at(read)


def _is_known(read: Place, owner: str) -> bool:
    """Tell whether a test on the way to a read asks whether there is a wrapper."""
    tests = [written(one.test) for one in tests_behind(read)]
    return is_probed(read, owner) or any(word in test for test in tests for word in _KNOWING)
