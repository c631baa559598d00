"""Whether an expression is made of certain names."""

from __future__ import annotations

import ast

from torchlint.inference.limits import NESTED
from torchlint.model.place import Place
from torchlint.syntax.walk import walk


def is_made_of(place: Place, names: frozenset[str], depth: int = 0) -> bool:
    """Tell whether an expression uses one of the names, directly or through others."""
    used = {node.id for node in walk(place.expression) if isinstance(node, ast.Name)}
    if used & names:
        return True
    if depth >= NESTED:
        return False
    bindings = (one for name in sorted(used) for one in place.scope.bindings.get(name, ()) if one.kind == "assign")
    values = (Place(place.file, one.value, one.statement) for one in bindings if one.value is not None)
    return any(is_made_of(value, names, depth + 1) for value in values)
