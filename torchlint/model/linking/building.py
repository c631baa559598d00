"""Whether a call that leads to an inherited `__init__` may build an object of one class, and not only of others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.linking.classes import family
from torchlint.model.syntax.around import class_around
from torchlint.model.syntax.last_names import last_name
from torchlint.model.values.possible import Class

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.evaluator import Evaluator


def may_build(ev: Evaluator, call: Place, kind: Class) -> bool:
    """Tell whether a call of a class, or of its `__init__`, may be for an object of a class that derives from it.

    `Base(model)` builds no `Derived`, and `super().__init__(model)` in another class that derives from `Base` neither.
    """
    callee = call.expression.func if isinstance(call.expression, ast.Call) else call.expression
    around = class_around(call)
    if around is not None and _are_related(ev, Class(call.file, around), kind):
        # `cls(…)` and `super().__init__(…)` are for whatever the method is called on.
        return True
    built = [one.value for one in ev.evaluate(call.at(callee)) if isinstance(one.value, Class)]
    if built:
        return any(kind in family(ev, one) for one in built)
    return around is None or last_name(callee) != "__init__"


def _are_related(ev: Evaluator, one: Class, other: Class) -> bool:
    return one in family(ev, other) or other in family(ev, one)
