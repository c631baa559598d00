"""Dropout that a module's `forward` applies in every mode of the module.

`F.dropout(x, p)` always drops: `training` is True by default, and a function does not see `self.training`.
`alpha_dropout` and `feature_alpha_dropout` do not by default (signatures of torch 2.13). The `dropout_p` of
`scaled_dot_product_attention` is always applied.
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, calls_of
from torchlint.model.headers import name_of
from torchlint.model.modules.unused_classes import is_unused
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance, Literal, Unknown, ValueSet
from torchlint.pytorch.dropout import ATTENTION, DROPPING
from torchlint.syntax.around import class_around, function_around, is_in_header

from .modes import is_of_mode, speaks_of_mode

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

# These names show an intention: samples of a distribution, noise for training, code for a test. The generator of
# pix2pix (https://arxiv.org/abs/1611.07004) and the pre-net of Tacotron 2 (https://arxiv.org/abs/1712.05884) drop in
# evaluation on purpose.
_WANTED = re.compile(
    r"MC|(^|_)mc_|(?i:monte|bayes|stochastic|always|permanent|persist|fixed|uncertain|nois|augment|sampl|loss|generator"
    r"|pre_?net|(^|\.)test_)"
)


@dataclass(frozen=True, slots=True)
class AlwaysDropping:
    """A call that drops in evaluation as well."""

    call: Call
    rate: Place | None
    """The argument for the probability; None if it is left to its default, a half."""
    is_attention: bool
    story: tuple[Step, ...]
    """The calls from a `forward` to the function that drops."""
    is_zero_so_far: bool
    """Whether nothing in view gives another probability than zero, the default of a parameter."""


_NO_STORY: tuple[Step, ...] | None = None


def always_dropping(ev: Evaluator, file: ParsedFile) -> Iterator[AlwaysDropping]:
    """Yield the calls of a file that drop with every `forward` of a module, in training and in evaluation alike."""
    for call in calls_of(file, DROPPING | {ATTENTION}):
        is_attention = call.method == "scaled_dot_product_attention" or ATTENTION in call.callee.names
        rate = call.argument("dropout_p", 4) if is_attention else call.argument("p", 1)
        if call.is_open or (is_attention and rate is None) or _says_when(call, is_attention=is_attention):
            continue
        if rate is not None and _is_nothing(ev, rate):
            continue
        if (story := _with_forward(ev, call, rate)) is not None:
            is_zero_so_far = rate is not None and _is_zero_so_far(ev.evaluate(rate))
            yield AlwaysDropping(call, rate, is_attention, story, is_zero_so_far)


def _says_when(call: Call, *, is_attention: bool) -> bool:
    return not is_attention and call.argument("training", 2) is not None


def _is_nothing(ev: Evaluator, rate: Place) -> bool:
    """Tell whether a probability is zero, and not only by default."""
    possible = ev.evaluate(rate)
    return _is_zero(possible) and not any(one.origin is not None and is_in_header(one.origin) for one in possible)


def _is_zero_so_far(possible: ValueSet) -> bool:
    """Tell whether a probability is zero by default, and what else is passed for it is unknown."""
    return _is_zero(tuple(one for one in possible if not isinstance(one.value, Unknown)))


def _is_zero(possible: ValueSet) -> bool:
    return bool(possible) and all(isinstance(one.value, Literal) and not one.value.value for one in possible)


@tabled(_NO_STORY)
def _with_forward(ev: Evaluator, place: Place, rate: Place | None) -> tuple[Step, ...] | None:
    """Return the calls by which a `forward` reaches a place in any mode, or None if none is known to."""
    function = function_around(place)
    if function is None or place.scope is not function or is_of_mode(place):
        return None
    if (rate is not None and speaks_of_mode(rate)) or _WANTED.search(function.qualified_name):
        return None
    if function.name == "forward":
        kind = class_around(place)
        if kind is None or not is_module(ev, Instance(Class(place.file, kind))) or _is_passed(place, rate):
            return None
        return _of_class(ev, Class(place.file, kind))
    for caller in islice(ev.callers(Function(place.file, function)), MOST_CALLERS):
        if not isinstance(caller.place.expression, ast.Call):
            continue
        passed = None
        if rate is not None and _is_passed(place, rate):
            parameter = next(one for one in function.parameters if one.name == rate.code)
            passed = next(iter(caller.argument(parameter) or ()), None)
            if passed is None or _is_nothing(ev, passed):
                continue
        if (story := _with_forward(ev, caller.place, passed)) is not None:
            return (*story, caller.place.step(f"`{function.qualified_name}` is called in either mode here"))
    return None


def _of_class(ev: Evaluator, kind: Class) -> tuple[Step, ...]:
    """Return the step that assumes that other code has a module of a class, if nothing in view mentions it."""
    if not is_unused(ev, kind):
        return ()
    step = name_of(kind.file, kind.scope).step(f"assumes that `{kind.scope.name}` is used elsewhere", is_assumed=True)
    return (step,)


def _is_passed(place: Place, rate: Place | None) -> bool:
    """Tell whether the caller of the function chooses the probability, and so perhaps when it is zero."""
    return rate is not None and any(rate.code == one.name for one in place.scope.parameters)
