"""The context manager `torch.cuda.device`, and whether a program does anything with one but to enter it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.device_arguments import DeviceArgument, device_arguments
from torchlint.model.values.value_sets import Built
from torchlint.pytorch.streams import INDEX_ONLY
from torchlint.pytorch.symbols import CUDA, CUDA_CONTEXT
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator, ParsedFile

_SPACE = CUDA.rstrip(".")
_NAMED = ("cuda.device(", "torch.cuda import", "torch import cuda", "import torch.cuda as")


def contexts_as_devices(ev: Evaluator, file: ParsedFile) -> Iterator[DeviceArgument]:
    """Yield the device arguments that may be a `torch.cuda.device`, which their calls reject."""
    if not ev.project.once(keeps_contexts):
        return iter(())
    context = Built(CUDA_CONTEXT)
    given = device_arguments(ev, file, lambda one: any(found.value == context for found in ev.evaluate(one)))
    return (one for one in given if not _takes_contexts(one.call))


def _takes_contexts(call: Call) -> bool:
    names = call.callee.names
    return any(name.startswith(CUDA) for name in names - INDEX_ONLY)


def keeps_contexts(ev: Evaluator) -> bool:
    """Tell whether a program may use a `torch.cuda.device` as a value, and not only in the head of a `with`."""
    library = ev.project.library
    files = map(ev.project.parsed, {path: None for text in _NAMED for path in library.holding(text)})
    return any(file is not None and any(_kept(file)) for file in files)


def _kept(file: ParsedFile) -> Iterator[bool]:
    """Yield for each mention of the context manager in a file whether it is more than entered there."""
    others = set()
    for scope in file.index.scopes:
        for name, bindings in scope.bindings.items():
            if any(last_name(binding.value) == "cuda" for binding in bindings if binding.value is not None):
                others.add(name)
            imports = [binding.imported for binding in bindings if binding.imported is not None]
            yield any(one.module == _SPACE and one.name in {"device", "*"} for one in imports)
            if any((one.module, one.name) in {(_SPACE, None), ("torch", "cuda")} for one in imports):
                others.add(name)
    for node, statement in file.attribute_reads("device"):
        if last_name(node.value) in {"cuda", *others}:
            call = file.parents_in(statement).get(node)
            around = file.parents_in(statement).get(call) if isinstance(call, ast.Call) and call.func is node else None
            yield not isinstance(around, ast.withitem) or around.optional_vars is not None
