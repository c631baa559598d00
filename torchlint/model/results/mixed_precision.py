"""What `amp.initialize` of Apex returns: the models and optimizers passed to it, which it changes in place.

https://nvidia.github.io/apex/amp.html#apex.amp.initialize
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Literal, Tuple, ValueSet, known
from torchlint.syntax.arguments import has_open_keywords, has_star, passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_NOTHING = Literal(None)


def initialized(ev: Evaluator, place: Place) -> ValueSet:
    """Return the models and the optimizers in one tuple, the models alone if there are no optimizers."""
    call = place.expression
    assert isinstance(call, ast.Call)
    given = passed(call, "models", 0)
    if given is None or has_star(call.args) or has_open_keywords(call):
        return UNKNOWN
    models = ev.evaluate(place.at(given))
    among = passed(call, "optimizers", 1)
    possible = ev.evaluate(place.at(among)) if among is not None else known(_NOTHING)
    optimizers = tuple(one for one in possible if one.value != _NOTHING)
    both = known(Tuple((models, optimizers)), place) if optimizers else ()
    return either(both, models if len(optimizers) < len(possible) else ())
