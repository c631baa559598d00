"""What an annotation says about a parameter or attribute."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Array,
    Built,
    Class,
    Device,
    Imported,
    Instance,
    Number,
    Tensor,
    Text,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.classes import role_of
from torchlint.pytorch.dtypes import LEGACY_TENSORS
from torchlint.pytorch.symbols import DEVICE, MODULE, PARAMETER, TENSOR

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOST_QUOTED = 10_000
_ANNOTATED: dict[str, Value] = {
    TENSOR: Tensor(),
    **dict.fromkeys(LEGACY_TENSORS, Tensor()),
    PARAMETER: Tensor(),
    DEVICE: Device(),
    "numpy.ndarray": Array(),
    "builtins.int": Number(),
    "builtins.float": Number(),
    "builtins.bool": Number(),
    "builtins.str": Text(),
    MODULE: Built(MODULE),
}


def value_of_annotation(ev: Evaluator, place: Place) -> ValueSet:
    """Return what an annotated name may be; `Optional[X]` and `X | None` are X, everything unclear is unknown."""
    match place.expression:
        case ast.Constant(value=str(text)) as quoted:
            return _of_text(text) or _of_quoted(ev, place, quoted)
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return value_of_annotation(ev, place.at(left))
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return value_of_annotation(ev, place.at(inner))
        case ast.Name() | ast.Attribute():
            return _of_class(ev, place)
        case _:
            return UNKNOWN


def _of_class(ev: Evaluator, place: Place) -> ValueSet:
    for one in ev.evaluate(place):
        match one.value:
            case Imported(name=name) if (value := _ANNOTATED.get(canonical(name))) is not None:
                return known(value)
            case Imported(name=name) if role_of(canonical(name)) is not None:
                return known(Built(canonical(name)))
            case Class() as kind:
                return known(Instance(kind))
    below = _defined_below(place)
    return known(Instance(below)) if below is not None else UNKNOWN


def _defined_below(place: Place) -> Class | None:
    """Return the class of the file that an annotation names, wherever that is defined: annotations are read later."""
    module = place.file.index.scope
    bindings = module.bindings.get(place.expression.id, ()) if isinstance(place.expression, ast.Name) else ()
    scopes = [one.scope for one in bindings if one.kind == "class"]
    return Class(place.file, scopes[0]) if len(scopes) == len(bindings) == 1 and scopes[0] is not None else None


def _of_text(text: str) -> ValueSet:
    """Return what an annotation in quotes says, if it is one of the usual names; nothing for others."""
    if role_of(text) is not None:
        return known(Built(text))
    value = _ANNOTATED.get(text) or _ANNOTATED.get(f"torch.{text}") or _ANNOTATED.get(f"builtins.{text}")
    return known(value) if value is not None else ()


def _of_quoted(ev: Evaluator, place: Place, quoted: ast.Constant) -> ValueSet:
    """Return what an annotation in quotes says that may name a class of the project: `net: "Net"`."""
    node = _unquoted(quoted)
    return value_of_annotation(ev, place.at(node)) if node is not None else UNKNOWN


@lru_cache(_MOST_QUOTED)
def _unquoted(quoted: ast.Constant) -> ast.expr | None:
    """Return the expression in quotes at their position, the same node each time, for memos have nodes as keys."""
    try:
        node = ast.parse(str(quoted.value), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    for part in ast.walk(node):
        ast.copy_location(part, quoted)
    return node
