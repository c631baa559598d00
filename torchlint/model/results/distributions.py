"""What distributions of PyTorch return: samples, which are on the device of the parameters."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.devices.default_device import may_be_default
from torchlint.model.place import Place
from torchlint.model.values.operators import joined
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Built, Literal, Number, Possibility, Tensor, Unknown, Value
from torchlint.pytorch.distributions import is_distribution
from torchlint.syntax.arguments import has_open_keywords, has_star

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_RECORDED = {"sample": False, "rsample": True}


def sampled(ev: Evaluator, owner: Possibility, method: str) -> Tensor | None:
    """Return a sample of a distribution, None if the method is another one: `Normal(0, 1).sample()`."""
    if method not in _RECORDED or owner.origin is None or not _is_distribution(owner.value):
        return None
    parameters = _parameters(ev, owner.origin)
    return parameters if _RECORDED[method] else replace(parameters, graph=False)


def _is_distribution(value: Value) -> bool:
    return isinstance(value, Built) and is_distribution(value.name)


@tabled(Tensor())
def _parameters(ev: Evaluator, made: Place) -> Tensor:
    """Return the result of an operation on all parameters of a distribution, by the call that makes it."""
    call = made.expression
    if not isinstance(call, ast.Call) or has_open_keywords(call) or has_star(call.args):
        return Tensor()
    given = [*call.args, *(word.value for word in call.keywords)]
    values = [_parameter(ev, one) for node in given for one in ev.evaluate(made.at(node))]
    if values and all(isinstance(value, (Literal, Number)) for value in values):
        return Tensor(None if may_be_default(ev, made.file) else HOST, False)
    return joined(*values)


def _parameter(ev: Evaluator, one: Possibility) -> Value:
    """Return the value of a parameter: `Independent(Normal(mean, std), 1)` is on the device of `mean` and `std`."""
    match one.value:
        case Literal() | Number() | Tensor() as value:
            return value
        case Built() as built if _is_distribution(built) and one.origin is not None:
            return _parameters(ev, one.origin)
        case _:
            return Unknown()
