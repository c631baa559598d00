"""Parameters in `float16` that a gradient scaler is to unscale the gradients of. Checked on torch 2.13.

It raises "Attempting to unscale FP16 gradients": the parameters of mixed precision are `float32`, and `autocast` makes
copies in `float16`. https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.model.tensors.makers import public_name
from torchlint.model.tensors.numbers import named_dtype
from torchlint.model.training.freezing import may_be_frozen
from torchlint.model.values.value_sets import Built
from torchlint.pytorch.dtypes import CASTS
from torchlint.pytorch.roles import Role
from torchlint.pytorch.scalers import CONVERTING, NOT_UNSCALED, PLAIN, UNSCALING
from torchlint.syntax.walk import walk

from .trained_module import module_given

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Binding, Store


@dataclass(frozen=True, slots=True)
class HalfParameters:
    """A call of a scaler for an optimizer, and where the parameters of that are made `float16`."""

    call: Call
    conversion: Call


def half_parameters(ev: Evaluator, file: ParsedFile) -> Iterator[HalfParameters]:
    """Yield the first call of each scaler in a function that surely gets gradients in `float16`."""
    seen = set()
    for call in method_calls_of(file, UNSCALING):
        optimizer = call.argument("optimizer", 0)
        if optimizer is None or call.owner is None or is_in_try(call) or (call.scope, optimizer.code) in seen:
            continue
        if not _is_scaler(ev, call.owner) or not is_reachable(ev, call):
            continue
        if (conversion := _converted(ev, optimizer)) is not None:
            seen.add((call.scope, optimizer.code))
            yield HalfParameters(call, conversion)


def _is_scaler(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something surely is a scaler that is enabled, be it on a machine with CUDA alone."""
    possible = ev.evaluate(owner)
    return bool(possible) and all(
        isinstance(one.value, Built) and public_name(one.value.name) in PLAIN and _is_enabled(one.origin)
        for one in possible
    )


def _is_enabled(made: Place | None) -> bool:
    call = call_at(made) if made is not None else None
    enabled = call.keywords.get("enabled") if call is not None else None
    return call is not None and not call.is_open and (enabled is None or enabled.literals == (True,))


def _converted(ev: Evaluator, optimizer: Place) -> Call | None:
    """Return what makes the parameters of an optimizer `float16` before it gets them, None if anything may be else."""
    possible = ev.evaluate(optimizer)
    if len(possible) != 1 or not is_made_as(ev, possible[0].value, Role.OPTIMIZER):
        return None
    return _converted_for(ev, possible[0].origin)


def _converted_for(ev: Evaluator, origin: Place | None) -> Call | None:
    made = call_at(origin) if origin is not None else None
    module = module_given(made) if made is not None else None
    if module is None or not module.is_name or may_be_frozen(ev, module):
        return None
    found = list(_conversions(ev, module))
    # Another conversion may undo it.
    is_sure = bool(found) and all(dtype in NOT_UNSCALED and not one.tests for one, dtype in found)
    return found[0][0] if is_sure else None


def _conversions(ev: Evaluator, module: Place) -> Iterator[tuple[Call, str | None]]:
    """Yield the calls that convert a module, where it is bound or below, with the dtype: `net = Net().half()`."""
    bound = _only_value(module)
    for call in method_calls_of(module.file, CONVERTING | CASTS.keys()):
        if call.owner is None:
            continue
        is_of_value = bound is not None and any(one is call.expression for one in walk(bound.expression))
        is_of_name = call.owner.code == module.code and _are_of_one_object(call, module)
        if (is_of_name or is_of_value) and ev.is_module(call.owner) and _converts(ev, call):
            yield call, _dtype(ev, call)


def _only_value(module: Place) -> Place | None:
    """Return what the name of a module is bound to, if it is bound once."""
    index = module.file.index
    is_attribute = isinstance(module.expression, ast.Attribute)
    stores: list[Binding | Store] = (
        [*index.attribute_stores(module.word)] if is_attribute else [*(module.scope.seen(module.word) or ())]
    )
    only = stores[0] if len(stores) == 1 and stores[0].kind == "assign" and not stores[0].selector else None
    return Place(module.file, only.value, only.statement) if only is not None and only.value is not None else None


def _are_of_one_object(one: Place, other: Place) -> bool:
    """Tell whether two expressions alike are of one function, or `self.…` in methods of one class."""
    is_own = one.code.startswith("self.") and one.scope.outer is other.scope.outer
    return one.scope is other.scope or is_own


def _converts(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call converts, and does not only move."""
    given = [*call.arguments, *call.keywords.values()]
    named = "dtype" in call.keywords or any("dtype" in one.word or named_dtype(ev, one) for one in given)
    return call.method != "to" or call.is_open or named


def _dtype(ev: Evaluator, call: Call) -> str | None:
    if call.method in CASTS:
        return CASTS[call.method]
    found = {named_dtype(ev, one) for one in (*call.arguments, *call.keywords.values())} - {None}
    return found.pop() if len(found) == 1 else None
