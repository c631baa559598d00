"""The norm of gradients that clipping returns: a tensor without a graph, where the parameters are.

https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html; checked on torch 2.13.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Tensor, ValueSet, known
from torchlint.pytorch.clipping import NORMS
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def gradient_norm(ev: Evaluator, place: Place) -> ValueSet:
    """Return the norm, whatever the other arguments are, such as an unknown limit."""
    call = place.expression
    assert isinstance(call, ast.Call)
    given = passed(call, "parameters", 0)
    clipped = elements_of(ev, ev.evaluate(place.at(given))) if given is not None else ()
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in clipped}
    return known(Tensor(devices.pop() if len(devices) == 1 else None, False), place)


NORM_CALLS = dict.fromkeys(NORMS, gradient_norm)
"""What answers the calls that return one, by their names."""
