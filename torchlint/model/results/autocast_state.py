"""Whether autocast is on where a program asks: `torch.is_autocast_enabled()` is False outside of any autocast."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Literal, Number, ValueSet, known
from torchlint.pytorch.autocast import BY_DEVICE, OF_CUDA, SWITCHING
from torchlint.syntax.around import arguments_of, contexts_around, function_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# Entered without a `with` statement, or by a framework, under any name.
_ENTERED_OTHERWISE = ("__enter__", "enter_context", "ccelerat", "ightning", "deepspeed", "precision", *SWITCHING)
_ENTERED = "autocast("
_KNOWN = ("torch.", "builtins.")


def autocast_answer(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `torch.is_autocast_enabled()` is: False outside of any autocast, or for CUDA where there is none."""
    given = [ev.evaluate(place.at(one)) for one in arguments_of(place)]
    is_about_cuda = all(one.value == Literal("cuda") for possible in given for one in possible)
    is_off = (is_about_cuda and ev.has_cuda is False) or (not _may_be_switched(ev) and _is_outside(ev, place))
    return known(Literal(False) if is_off else Number(), place)


def _may_be_switched(ev: Evaluator) -> bool:
    """Tell whether the project may enter an autocast without a `with` statement."""
    return any(_is_held(ev, word) for word in _ENTERED_OTHERWISE)


def _is_held(ev: Evaluator, text: str) -> bool:
    return any(True for _ in ev.project.library.holding(text))


@tabled(False)
def _is_outside(ev: Evaluator, place: Place) -> bool:
    """Tell whether no `with` statement on any path to a place may be an autocast, if all callers are in view."""
    if not all(_is_other(place.at(entered)) for entered, _ in contexts_around(place)):
        return False
    function = function_around(place)
    if function is None:
        return True
    # Other modules call the `forward` of one that they hold, which no line in view may show.
    is_open = function.is_method and _is_held(ev, _ENTERED)
    if is_open or getattr(function.node, "decorator_list", None):
        return False
    callers = _callers(ev, Function(place.file, function))
    return 0 < len(callers) <= MOST_CALLERS and all(_is_outside(ev, one) for one in callers)


def _callers(ev: Evaluator, function: Function) -> list[Place]:
    return [one.place for one in (*ev.callers(function), *object_callers_of(ev, function))]


def _is_other(entered: Place) -> bool:
    """Tell whether what a `with` statement enters is surely no autocast: another one of PyTorch, or a file."""
    node = entered.expression
    names = entered.at(node.func).names if isinstance(node, ast.Call) else frozenset()
    return bool(names) and names.isdisjoint(BY_DEVICE | OF_CUDA) and all(one.startswith(_KNOWN) for one in names)
