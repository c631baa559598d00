"""Reads of attributes of what `accelerator.prepare` returns for a module: a wrapper with several processes.

A wrapper has no methods of the module, and the module no `module` as the wrapper has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.place import Place
from torchlint.model.values.def_use import uses_of
from torchlint.model.values.kinds import has_attribute
from torchlint.model.values.value_sets import Built, Instance, Possibility
from torchlint.pytorch.companions.accelerate import PREPARING
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.pytorch.wrapper_attributes import OF_WRAPPER
from torchlint.pytorch.wrappers import wrapped_as
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import dominating_conditions, parent_of
from torchlint.syntax.walk import written

from .other_paths import is_unwrapped_on_another_path
from .probing import is_probed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Raises: TypeAlias = "Callable[[Evaluator, list[Instance], str], bool]"

_NAMES = sorted({name.rpartition(".")[2] for name in PREPARING})
# Code with one of these may handle the wrapper.
_KNOWING = ("isinstance", "num_processes", "distribut", "parallel", "ddp", "multi", "world", "gpu", "wrap")


@dataclass(frozen=True, slots=True)
class PreparedAttribute:
    """A read that raises with a wrapper, or without one, and the call that may have wrapped the module."""

    place: Place
    prepared: Place


def prepared_attributes(ev: Evaluator, file: ParsedFile) -> Iterator[PreparedAttribute]:
    """Yield where a method of its module is read from what a file prepared, in this file or in others."""
    return _asked_of_prepared(ev, file, _is_hidden)


def prepared_unwrapped(ev: Evaluator, file: ParsedFile) -> Iterator[PreparedAttribute]:
    """Yield where the wrapper is taken off what a file prepared, which has none in a single process."""
    asked = _asked_of_prepared(ev, file, _is_only_of_wrapper)
    return (one for one in asked if not _has_plugin(ev, one.prepared))


def _has_plugin(ev: Evaluator, prepared: Place) -> bool:
    """Tell whether an accelerator has a plugin that wraps in a single process, too, as DeepSpeed and FSDP do."""
    assert isinstance(prepared.expression, ast.Call)
    assert isinstance(prepared.expression.func, ast.Attribute)
    made = (one.origin for one in ev.evaluate(prepared.at(prepared.expression.func.value)))
    words = [
        word.arg for one in made if one and isinstance(one.expression, ast.Call) for word in one.expression.keywords
    ]
    return any(word is None or "plugin" in word or "parallelism" in word for word in words)


def _is_hidden(ev: Evaluator, kinds: list[Instance], name: str) -> bool:
    return name not in OF_WRAPPER[DISTRIBUTED] and all(method_of(ev, one.kind, name) for one in kinds)


def _is_only_of_wrapper(ev: Evaluator, kinds: list[Instance], name: str) -> bool:
    is_held = name == wrapped_as(DISTRIBUTED)
    return is_held and all(has_attribute(ev, Possibility(one), name) is False for one in kinds)


def _asked_of_prepared(ev: Evaluator, file: ParsedFile, raises: _Raises) -> Iterator[PreparedAttribute]:
    found: set[tuple[str, int, int, int, int]] = set()
    for name in _NAMES:
        for call, statement in file.index.calls(name):
            prepared = Place(file, call, statement)
            for position in _modules(ev, prepared):
                for read in _asked(ev, prepared, position, raises):
                    if read.key not in found:
                        found.add(read.key)
                        yield PreparedAttribute(read, prepared)


def _modules(ev: Evaluator, prepared: Place) -> Iterator[int]:
    """Yield which arguments are modules of the project with parameters to train."""
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
    """Tell whether the file freezes a module: one with nothing to train is not wrapped."""
    return any(
        isinstance(call.func, ast.Attribute) and written(call.func.value) == written(module)
        for call, _ in prepared.file.index.calls("requires_grad_")
    )


def _asked(ev: Evaluator, prepared: Place, position: int, raises: _Raises) -> Iterator[Place]:
    """Yield the reads of attributes of the result for a module that raise with a wrapper, or without."""
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
        if not raises(ev, kinds, read.attr) or _is_known(use.place.at(read), written(read.value)):
            continue
        if not is_unwrapped_on_another_path(ev, use):
            yield use.place.at(read)


def _is_known(read: Place, owner: str) -> bool:
    """Tell whether a dominating condition of a read tests for a wrapper."""
    tests = [written(one.test).lower() for one in dominating_conditions(read)]
    return is_probed(read, owner) or any(word in test for test in tests for word in _KNOWING)
