"""What an annotation says about a parameter or attribute."""

from __future__ import annotations

import ast
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
        case ast.Constant(value=str(text)):
            return _of_text(text)
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
    return UNKNOWN


def _of_text(text: str) -> ValueSet:
    """Return what an annotation in quotes says, if it is one of the usual names."""
    if role_of(text) is not None:
        return known(Built(text))
    value = _ANNOTATED.get(text) or _ANNOTATED.get(f"torch.{text}") or _ANNOTATED.get(f"builtins.{text}")
    return known(value) if value is not None else UNKNOWN
