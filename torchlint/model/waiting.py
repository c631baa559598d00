"""Where the host waits for the device: reads of tensors that may be on one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.branching import asked
from torchlint.model.classes import is_module
from torchlint.model.formatting import formatted
from torchlint.model.items import elements_of
from torchlint.model.masks import sized_by_data
from torchlint.model.methods import moved_to
from torchlint.model.place import Place
from torchlint.model.values import HOST, Imported, Possible, Tensor, Unknown

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile

WaitKind: TypeAlias = Literal["scalar", "copy", "branch", "text", "shape", "synchronize"]

_MODULE_WORDS = re.compile(r"(?<![a-z])(model|net|module|network|encoder|decoder|ema)(?![a-z])")
_CLOCK = re.compile(r"\b(time|perf_counter|monotonic|process_time|elapsed_time)\(")
_CONVERSIONS = ("float", "int", "bool", "complex")
# `math.isnan(t)` calls `float(t)`.
_MATH = ("isnan", "isinf", "isfinite", "sqrt", "exp", "log", "log2", "log10", "floor", "ceil", "pow", "fabs")


@dataclass(frozen=True, slots=True)
class Wait:
    """An expression that makes the host wait, and the tensor that it waits for."""

    place: Place
    kind: WaitKind
    tensor: Place
    is_sure: bool
    """Whether what is read is a tensor for sure, and not only in all likelihood."""


def waits(ev: Evaluator, file: SourceFile) -> Iterator[Wait]:
    """Yield the calls of a file that wait for a device, where what they read may be on one."""
    for place, owner in _method_calls(file, "item"):
        yield from _wait(ev, place, "scalar", owner, needs_proof=False)
    for place, owner in _method_calls(file, "tolist"):
        yield from _wait(ev, place, "scalar", owner, needs_proof=True)
    for place, argument in _conversions(ev, file):
        yield from _wait(ev, place, "scalar", argument, needs_proof=True)
    for place, owner in _method_calls(file, "cpu"):
        if not _is_module(ev, owner):
            yield from _wait(ev, place, "copy", owner, needs_proof=False)
    for place, owner in _method_calls(file, "to"):
        if not _is_async(place) and not _is_module(ev, owner) and moved_to(ev, place, "to", None) == HOST:
            yield from _wait(ev, place, "copy", owner, needs_proof=False)

    for place in asked(file):
        if is_on_device(ev.evaluate(place)):
            yield Wait(place, "branch", place, is_sure=True)
    shown = {by.key: Wait(by, "text", place, is_sure=True) for place, by in formatted(ev, file) if _shows_tensor(ev, place)}
    yield from shown.values()
    for place, tensor in sized_by_data(ev, file):
        if is_on_device(ev.evaluate(tensor)):
            yield Wait(place, "shape", tensor, is_sure=True)
    for place in _synchronizations(ev, file):
        yield Wait(place, "synchronize", place, is_sure=True)


def _shows_tensor(ev: Evaluator, place: Place) -> bool:
    """Tell whether what is turned into text is a tensor on a device, or `*tensor`."""
    if isinstance(place.expression, ast.Starred):
        return is_on_device(elements_of(ev, ev.evaluate(place.at(place.expression.value))))
    return is_on_device(ev.evaluate(place))


def _synchronizations(ev: Evaluator, file: SourceFile) -> Iterator[Place]:
    """Yield the calls of `torch.cuda.synchronize()`, but those that stand beside a clock."""
    for call, statement in file.index.calls("synchronize"):
        place = Place(file, call, statement)
        names = {one.value.name for one in ev.evaluate(place.at(call.func)) if isinstance(one.value, Imported)}
        if names & {"torch.cuda.synchronize", "torch.accelerator.synchronize"} and not _is_beside_clock(place):
            yield place


def _is_beside_clock(place: Place) -> bool:
    block, position = place.file.index.home[place.statement]
    beside = block.body[max(position - 1, 0) : position + 2]
    return any(_CLOCK.search(ast.unparse(statement)) for statement in beside if not hasattr(statement, "body"))


def _method_calls(file: SourceFile, name: str) -> Iterator[tuple[Place, Place]]:
    for call, statement in file.index.calls(name):
        if isinstance(call.func, ast.Attribute):
            place = Place(file, call, statement)
            yield place, place.at(call.func.value)


def _conversions(ev: Evaluator, file: SourceFile) -> Iterator[tuple[Place, Place]]:
    """Yield `float(x)` and the like, and `math.…(x)`."""
    for name in (*_CONVERSIONS, *_MATH):
        for call, statement in file.index.calls(name):
            place = Place(file, call, statement)
            if len(call.args) >= 1 and _means(ev, place.at(call.func), name):
                yield place, place.at(call.args[0])


def _means(ev: Evaluator, function: Place, name: str) -> bool:
    full = f"builtins.{name}" if name in _CONVERSIONS else f"math.{name}"
    return any(isinstance(one.value, Imported) and one.value.name == full for one in ev.evaluate(function))


def _wait(ev: Evaluator, place: Place, kind: WaitKind, tensor: Place, *, needs_proof: bool) -> Iterator[Wait]:
    possible = ev.evaluate(tensor)
    if may_be_on_device(possible):
        yield Wait(place, kind, tensor, is_sure=True)
    elif not needs_proof and may_be_anything(possible):
        yield Wait(place, kind, tensor, is_sure=False)


def may_be_on_device(possible: Possible) -> bool:
    """Tell whether an expression may be a tensor that is not known to be on the host."""
    return any(isinstance(one.value, Tensor) and one.value.device != HOST for one in possible)


def is_on_device(possible: Possible) -> bool:
    """Tell whether an expression is a tensor that is not known to be on the host, and nothing else."""
    return bool(possible) and all(isinstance(one.value, (Tensor, Unknown)) for one in possible) and may_be_on_device(possible)


def may_be_anything(possible: Possible) -> bool:
    """Tell whether nothing is known of an expression."""
    return not possible or any(isinstance(one.value, Unknown) for one in possible)


def _is_module(ev: Evaluator, owner: Place) -> bool:
    """Tell whether the owner of `.cpu()` is a module: moving one at the end of training is nobody's mistake."""
    possible = ev.evaluate(owner)
    if any(is_module(ev, one.value) for one in possible):
        return True
    last = owner.text.rpartition(".")[2]
    return may_be_anything(possible) and _MODULE_WORDS.search(last.lower()) is not None and "(" not in last


def _is_async(place: Place) -> bool:
    call = place.expression
    assert isinstance(call, ast.Call)
    return any(word.arg == "non_blocking" for word in call.keywords)


