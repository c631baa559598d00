"""Names that a file gives to something that has one already: `from torch import load as read`, `read = torch.load`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

from torchlint.model.syntax.index import Index
from torchlint.model.syntax.last_names import callee_name, last_name
from torchlint.model.syntax.scope import Binding


def other_names(index: Index) -> Mapping[str, set[str]]:
    """Return the names that a file gives, in any scope or to an attribute, by the last name of what they stand for."""
    found: dict[str, set[str]] = defaultdict(set)
    for scope in index.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                found[_original(binding)].add(name)
    for store in index.stores:
        if isinstance(store.key, str) and store.value is not None:
            found[_name_of(store.value)].add(store.key)
    return {original: names for original, names in found.items() if original}


def _original(binding: Binding) -> str:
    """Return the last name of what a binding imports, or of what it gives another name."""
    if binding.imported is not None:
        return binding.imported.name or ""
    return _name_of(binding.value) if binding.kind == "assign" and binding.value is not None else ""


def _name_of(value: ast.expr) -> str:
    """Return the last name of what is named, or of the function whose arguments `partial(…)` fixes."""
    if isinstance(value, ast.Call) and callee_name(value) == "partial" and value.args:
        return last_name(value.args[0])
    return last_name(value)
