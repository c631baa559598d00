"""Whether a tensor may have other numbers than its call computed, or another call may have made it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.model.attributes.stored_outside import stored_outside
from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.in_place import SAME_NUMBERS
from torchlint.syntax.around import class_around
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def may_change(ev: Evaluator, made: Place, read: Place) -> bool:
    """Tell whether the result of a call may be another value at a read, by checks that come after all others."""
    names = {(one.scope, name) for one in (made, read) for name in (*one.bound_to, one.code) if name.isidentifier()}
    if any(_is_changed_in_place(one, names) for one in (made, read)):
        return True
    return _is_replaced(ev, made) or _is_overridden(ev, made, read)


def _is_changed_in_place(place: Place, names: Iterable[tuple[object, str]]) -> bool:
    """Tell whether a statement of its own changes one of these names: `probabilities.log_()`."""
    index = place.file.index
    changing = [word for word in index.called_names() if word.endswith("_") and word not in SAME_NUMBERS]
    calls = (Place(place.file, call, statement) for word in changing for call, statement in index.calls(word))
    return any(
        isinstance(one.expression, ast.Call)
        and isinstance(one.expression.func, ast.Attribute)
        and (one.scope, written(one.expression.func.value)) in names
        for one in calls
    )


def _is_replaced(ev: Evaluator, made: Place) -> bool:
    """Tell whether another layer may be stored in an object than its class does: `net.softmax = nn.Identity()`."""
    match made.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            kinds = [one.value.kind for one in ev.evaluate(made.at(owner)) if isinstance(one.value, Instance)]
            return any(True for kind in kinds for _ in stored_outside(ev, kind, name))
        case _:
            return False


def _is_overridden(ev: Evaluator, made: Place, read: Place) -> bool:
    """Tell whether an object calls its own method, which a subclass overrides."""
    here, there = class_around(made), class_around(read)
    if here is None or there is None:
        return False
    own, asking = Class(made.file, here), Class(read.file, there)
    if own not in family(ev, asking) and asking not in family(ev, own):
        return False
    names = {"forward", made.scope.name}
    return any(_differ(ev, asking, below, name) for below in ev.subclasses(asking) for name in names)


def _differ(ev: Evaluator, kind: Class, below: Class, name: str) -> bool:
    method, other = method_of(ev, kind, name), method_of(ev, below, name)
    return other is not None and (method is None or method.scope is not other.scope)
