"""Where a state dict is in what is saved: under a key, inside another dict, or all that the file holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.place import Place

_DICTS = frozenset({"dict", "OrderedDict", "update"})


def saved_under(state: Place) -> str | None:
    """Return the key under which a state dict is stored in what is saved, if that is directly here."""
    parents = state.file.parents_in(state.statement)
    match parents.get(state.expression), state.statement:
        case ast.Dict(keys=keys, values=values), _:
            key = next(key for key, value in zip(keys, values, strict=True) if value is state.expression)
            return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        case ast.keyword(arg=name) as keyword, _:
            made = parents.get(keyword)
            return name if isinstance(made, ast.Call) and callee_name(made) in _DICTS else None
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))]), _:
            return name
        case _:
            return None


def is_of_no_parameter(key: str | None) -> bool:
    """Tell whether a key is none of a state dict, whose keys are those of parameters: `layer.weight`."""
    return key is not None and "." not in key


def is_saved_whole(state: Place, saved_at: Place) -> bool:
    """Tell whether a state dict is all that a file holds: `torch.save(model.state_dict(), path)`."""
    call = saved_at.expression
    return isinstance(call, ast.Call) and state.expression in call.args


def saved_within_dict(state: Place) -> bool:
    """Tell whether the dict with a state dict is an item of another one: `{"generator": {"model": …}}`."""
    parents = state.file.parents_in(state.statement)
    around = parents.get(state.expression)
    return isinstance(around, ast.Dict) and isinstance(parents.get(around), ast.Dict)
