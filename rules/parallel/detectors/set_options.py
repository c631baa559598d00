"""Arms that no caller enters: each sets the option that the arm asks for to something else before it calls.

`config.gpu = rank` and `move(config, model)`, where `move` only wraps `if config.gpu is None`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.facts import atoms

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Parameter

_NEVER_NONE = (ast.BinOp, ast.Compare, ast.JoinedStr, ast.List, ast.Dict, ast.Tuple)


def is_let_in_by_none(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place only runs if an option of its function is None, and every caller sets that before."""
    if place.scope.kind != "function":
        return False
    options = list(_none_on_path(place))
    callers = ev.callers(Function(place.file, place.scope)) if options else ()
    return bool(callers) and any(all(_sets(caller, *option) for caller in callers) for option in options)


def _none_on_path(place: Place) -> Iterator[tuple[Parameter, str]]:
    """Yield the attributes of parameters that are None wherever a place runs: `args.gpu`."""
    parameters = {one.name: one for one in place.scope.parameters}
    for condition in dominating_conditions(place):
        for test, holds in atoms(condition.test, condition.holds):
            match test:
                case ast.Compare(
                    left=ast.Attribute(value=ast.Name(id=name), attr=option),
                    ops=[ast.Is() | ast.IsNot() as op],
                    comparators=[ast.Constant(value=None)],
                ) if isinstance(op, ast.Is) is holds and name in parameters:
                    yield parameters[name], option


def _sets(caller: Caller, parameter: Parameter, option: str) -> bool:
    """Tell whether a caller stores something in an option of what it passes, in a statement that surely runs before."""
    names = {one.expression.id for one in caller.argument(parameter) or () if isinstance(one.expression, ast.Name)}
    index = caller.place.file.index
    before = {id(one) for block, at in index.blocks_around(caller.place.statement) for one in block.body[:at]}
    return any(
        isinstance(store.value, _NEVER_NONE) and id(store.statement) in before
        for store in index.attribute_stores(option)
        if isinstance(store.target, ast.Name) and store.target.id in names
    )
