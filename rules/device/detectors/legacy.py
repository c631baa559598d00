"""Legacy tensor types that mean CUDA, where a program without CUDA uses one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.values.value_sets import Imported, Literal, Value, ValueSet
from torchlint.pytorch.device_arguments import SET_DEFAULT_TYPE
from torchlint.pytorch.factories import legacy_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_WRITTEN = re.compile(r"\bcuda\.(sparse\.)?\w*Tensor\b")


@dataclass(frozen=True, slots=True)
class LegacyType:
    """A type such as `torch.cuda.FloatTensor`, where it is used to make a tensor."""

    place: Place
    is_default: bool
    """Whether it becomes the type of all new tensors."""


def legacy_cuda_types(ev: Evaluator, file: ParsedFile) -> Iterator[LegacyType]:
    """Yield where a file makes tensors of CUDA's legacy types, or converts tensors to them, with no fallback.

    `ev` answers for a machine without CUDA.
    """
    if _WRITTEN.search(file.code) is None:
        return
    calls = (Call(file, call, statement) for call, statement in file.index.expressions(ast.Call))
    for call in sorted(calls, key=lambda call: call.span):
        is_default = SET_DEFAULT_TYPE in call.callee.names
        place = call.argument("t" if is_default else "dtype", 0) if is_default or call.method == "type" else call.callee
        if place is not None and _means_cuda(ev.evaluate(place)) and not is_guarded(ev, call):
            yield LegacyType(place, is_default)


def _means_cuda(possible: ValueSet) -> bool:
    """Tell whether every possibility of an expression is one of CUDA's types, or the name of one."""
    return bool(possible) and all(legacy_device(_name(one.value)) == "cuda" for one in possible)


def _name(value: Value) -> str:
    match value:
        case Imported(name=name) | Literal(value=str(name)):
            return name
        case _:
            return ""
