"""Functions that are defined on one of several paths: `if cpu: def state(): return net.state_dict()`.

What such a function reads when it is called later is what its path has left, and not what another one would have.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place


def is_defined_on_another_path(place: Place, other: Place) -> bool:
    """Tell whether a function around a place is defined in another arm of a test than a second place is."""
    return any(are_in_different_arms(one, other) for one in _definitions(place))


def is_defined_behind(place: Place, other: Place) -> bool:
    """Tell whether a function around a place is defined below a second place, in the same block."""
    home = place.file.index.home
    block, position = home[other.statement] if other.file is place.file else (None, 0)
    own = (home[one.statement] for one in _definitions(place))
    return any(around is block and below > position for around, below in own)


def _definitions(place: Place) -> Iterator[Place]:
    """Yield the statements that define the functions around a place."""
    scope, home = place.scope, place.file.index.home
    while scope.outer is not None:
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and scope.node in home:
            yield Place(place.file, ast.Constant(None), scope.node)
        scope = scope.outer
