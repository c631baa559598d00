"""Classes of modules that nothing in the project mentions: no object of one is made, or trained, in view."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.mentions import Mention, mentions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@tabled(False)
def is_unused(ev: Evaluator, kind: Class) -> bool:
    """Tell whether no file makes an object of a class, derives one from it, registers it or publishes it."""
    node = kind.scope.node
    if not isinstance(node, ast.ClassDef) or node.decorator_list:
        return False
    return all(_is_inside(one, kind, node) for one in mentions(ev, node.name))


def _is_inside(one: Mention, kind: Class, node: ast.ClassDef) -> bool:
    """Tell whether a class mentions itself: `super(Net, self).__init__()`."""
    return one.file is kind.file and node.lineno <= one.statement.lineno <= (node.end_lineno or node.lineno)
