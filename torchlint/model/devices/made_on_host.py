"""Calls of unknown code with results of modules on the host: what `backward()` starts from is there too.

Functions of other packages may move their arguments, as a model does with its data. If an argument on the host has a
graph, training runs there, and to run it elsewhere the data would have been moved before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Array, Literal, Number, Tensor, Text
from torchlint.syntax.arguments import has_open_keywords, has_star
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding

_PLAIN = (Array, Literal, Number, Text)


def is_made_on_host(ev: Evaluator, place: Place, binding: Binding) -> bool:
    """Tell whether a binding takes the result of a call with tensors on the host alone, one with a graph."""
    made = _made_by(place, binding)
    if made is None or not _is_given_host(ev, made):
        return False
    return any(
        isinstance(one.value, Tensor) and one.value.graph is True for part in _given(made) for one in ev.evaluate(part)
    )


def _made_by(place: Place, binding: Binding) -> Place | None:
    if binding.kind != "assign" or not isinstance(binding.value, ast.Call):
        return None
    return Place(place.file, binding.value, binding.statement, place.frame)


def _is_given_host(ev: Evaluator, made: Place) -> bool:
    """Tell whether the arguments of a call are tensors on the host, or made of such, and none may be elsewhere."""
    call = made.expression
    if not isinstance(call, ast.Call) or has_star(call.args) or has_open_keywords(call):
        return False
    given = list(_given(made))
    return any(_is_tensor(ev, one) for one in given) and all(_is_on_host(ev, one) for one in given)


def _given(made: Place) -> Iterator[Place]:
    assert isinstance(made.expression, ast.Call)
    yield from map(made.at, made.expression.args)
    yield from (made.at(word.value) for word in made.expression.keywords)


def _is_tensor(ev: Evaluator, place: Place) -> bool:
    return any(isinstance(one.value, Tensor) for one in ev.evaluate(place))


@tabled(False)
def _is_on_host(ev: Evaluator, place: Place) -> bool:
    possible = [one.value for one in ev.evaluate(place)]
    if possible and all(
        isinstance(one, _PLAIN) or (isinstance(one, Tensor) and one.device == HOST) for one in possible
    ):
        return True
    made = list(_calls_making(ev, place))
    return bool(made) and all(one is not None and _is_given_host(ev, one) for one in made)


def _calls_making(ev: Evaluator, place: Place) -> Iterator[Place | None]:
    """Yield the calls that may make the value of an expression, None if something else may."""
    match place.expression:
        case ast.Call():
            yield place
        case ast.Name(id=name) if bindings := place.scope.bindings.get(name):
            found = reaching(place.file.index, bindings, place.statement, ev.decide(place))
            yield from (_made_by(place, one) for one in found.definitions)
        case _:
            yield None
