"""Which bindings of a name can still hold at a statement: reaching definitions over structured code.

Python has no `goto`, so the walk needs no graph: from the statement back over the siblings before it, then out of their
block. Only siblings in which the name is bound are visited. `decide` returns the outcome of a test if it is known (from
the machine's devices, or from the assumptions of the place), and so excludes unreachable arms.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchlint.syntax.definitions import AnyDefinition, Reaching
from torchlint.syntax.flow_walk import Decide, Walk
from torchlint.syntax.index import Index
from torchlint.syntax.layout import layout_of
from torchlint.syntax.scope import Binding, Scope


def reaching(
    index: Index, definitions: Sequence[AnyDefinition], statement: ast.stmt, decide: Decide
) -> Reaching[AnyDefinition]:
    """Return the definitions of one variable that may hold where a statement begins."""
    if len(definitions) == 1 and definitions[0].kind == "parameter":
        return Reaching((definitions[0],), False)
    layout = layout_of(index, definitions)
    # Most walks meet no test, so that they end alike for every query.
    if (found := layout.reaching.get(statement)) is None:
        walk = Walk(index, layout, decide)
        found = walk.before(statement)
        if not walk.has_asked:
            layout.reaching[statement] = found
    return found


def at_end(index: Index, scope: Scope, name: str, decide: Decide) -> Reaching[Binding]:
    """Return the bindings of a name that may hold where control leaves the scope's body."""
    return left_by(index, scope, scope.bindings.get(name, ()), decide)


def left_by(
    index: Index, scope: Scope, definitions: Sequence[AnyDefinition], decide: Decide
) -> Reaching[AnyDefinition]:
    """Return the definitions of one variable that may hold where control leaves the scope's body."""
    return Walk(index, layout_of(index, definitions), decide).at_end(scope)
