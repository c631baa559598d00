"""Parameters that a function takes for ndarrays: `torch.from_numpy(boxes)` takes nothing else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.pytorch.factories import FROM_NDARRAY
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope


def is_given_as_array(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function makes a tensor of the memory of a parameter, which it binds nothing else to."""
    if FROM_NDARRAY not in file.code or len(function.bindings.get(name, ())) != 1:
        return False
    return any(
        callee_name(call) == FROM_NDARRAY and bool(call.args) and _is_named(call.args[0], name)
        for call, _ in file.calls_in_scope(function)
    )


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
