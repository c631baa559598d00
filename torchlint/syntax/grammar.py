"""Python's own grammar of trees, read from the docstrings of `ast`'s classes: `Call(expr func, expr* args, …)`.

What is generated from it fits the running version of Python.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache

_SIGNATURE = re.compile(r"\s*(\w+)(?:\((.*)\))?\s*", re.DOTALL)
_NODE_KINDS = frozenset({
    "expr", "arg", "arguments", "keyword", "comprehension", "alias", "withitem", "match_case", "pattern",
    "excepthandler", "type_param", "stmt",
})  # fmt: skip
# `{**other}` has None for a key, a keyword-only parameter without a default has None for one.
_HOLED = frozenset({"keys", "kw_defaults"})


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a node type that holds nodes: `many` is `""`, `"?"` (optional) or `"*"` (list)."""

    name: str
    kind: str
    many: str

    @property
    def has_holes(self) -> bool:
        """Tell whether the list of the field has None for what is left out."""
        return self.name in _HOLED


@cache
def node_kinds() -> tuple[type[ast.AST], ...]:
    """Return every node type that has instances, without the deprecated ones."""
    kinds = (kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST))
    return tuple(dict.fromkeys(kind for kind in kinds if _signature(kind) is not None))


def fields_of(kind: type[ast.AST]) -> list[Field]:
    """Return the fields of a node type that hold nodes, in order."""
    fields = []
    for part in filter(None, (part.strip() for part in (_signature(kind) or "").split(","))):
        type_name, _, name = part.partition(" ")
        plain = type_name.rstrip("*?")
        if plain in _NODE_KINDS:
            fields.append(Field(name.strip(), plain, type_name[len(plain) :]))
    return fields


def _signature(kind: type[ast.AST]) -> str | None:
    """Return the signature of a node type in its docstring, None if it is abstract."""
    found = _SIGNATURE.fullmatch(kind.__doc__ or "")
    return (found[2] or "") if found is not None and found[1] == kind.__name__ else None
