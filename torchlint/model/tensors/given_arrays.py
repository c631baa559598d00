"""Parameters that a function takes for ndarrays: `torch.from_numpy(boxes)` takes nothing else.

What a file asks whether it is an ndarray or an image, `isinstance(image, np.ndarray)`, may be one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.pytorch.factories import FROM_NDARRAY
from torchlint.syntax.last_names import callee_name, last_name

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope

# `np.ndarray`, and `PIL.Image.Image`.
_ON_HOST = frozenset({"ndarray", "Image"})


def is_given_as_array(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function makes a tensor of the memory of a parameter, which it binds nothing else to."""
    if FROM_NDARRAY not in file.code or len(function.bindings.get(name, ())) != 1:
        return False
    return any(
        callee_name(call) == FROM_NDARRAY and bool(call.args) and _is_named(call.args[0], name)
        for call, _ in file.calls_in_scope(function)
    )


def may_be_array(file: ParsedFile, name: str) -> bool:
    """Tell whether a file asks of what has a name whether it is an ndarray, or an image: its inputs are on the host."""
    if not any(word in file.code for word in _ON_HOST):
        return False
    tests = (call.args for call, _ in file.index.calls("isinstance") if len(call.args) == 2)
    return any(_is_named(asked, name) and _ON_HOST & set(_last_names(kinds)) for asked, kinds in tests)


def _last_names(kinds: ast.expr) -> list[str]:
    return [last_name(one) for one in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
