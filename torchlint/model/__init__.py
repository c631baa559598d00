"""What the code means: the questions that a rule may ask of a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.calls import Call, call_at, calls_of, method_calls_of
    from torchlint.model.defined import DefinedClass, DefinedFunction
    from torchlint.model.edits.device_names import DeviceNames
    from torchlint.model.edits.reuse import is_same
    from torchlint.model.loop import Loop
    from torchlint.model.parallel.wrappers import Wrapping, is_wrapped, wrappings
    from torchlint.model.place import Place
    from torchlint.model.project import Project
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.stored import Assignment
    from torchlint.model.training.grad_mode import is_recorded
    from torchlint.model.values.value_sets import (
        Array,
        Built,
        Class,
        Device,
        Display,
        Function,
        Imported,
        Instance,
        Literal,
        Number,
        Possibility,
        StateDict,
        Tensor,
        Text,
        Unknown,
    )
    from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITH_GPUS, WITH_ONE_GPU, WITHOUT_CUDA

__all__ = [
    "ANYWHERE",
    "WITHOUT_CUDA",
    "WITH_CUDA",
    "WITH_GPUS",
    "WITH_ONE_GPU",
    "Array",
    "Assignment",
    "Built",
    "Call",
    "Class",
    "DefinedClass",
    "DefinedFunction",
    "Device",
    "DeviceNames",
    "Display",
    "Function",
    "Imported",
    "Instance",
    "Literal",
    "Loop",
    "Number",
    "Place",
    "Possibility",
    "Project",
    "SourceFile",
    "StateDict",
    "Tensor",
    "Text",
    "Unknown",
    "Wrapping",
    "call_at",
    "calls_of",
    "is_recorded",
    "is_same",
    "is_wrapped",
    "method_calls_of",
    "wrappings",
]

# Where each name is defined; nothing is imported before it is used.
_HOMES = {
    "ANYWHERE": "worlds",
    "WITHOUT_CUDA": "worlds",
    "WITH_CUDA": "worlds",
    "WITH_GPUS": "worlds",
    "WITH_ONE_GPU": "worlds",
    "Array": "values.value_sets",
    "Assignment": "stored",
    "Built": "values.value_sets",
    "Call": "calls",
    "Class": "values.value_sets",
    "DefinedClass": "defined",
    "DefinedFunction": "defined",
    "Device": "values.value_sets",
    "DeviceNames": "edits.device_names",
    "Display": "values.value_sets",
    "Function": "values.value_sets",
    "Imported": "values.value_sets",
    "Instance": "values.value_sets",
    "Literal": "values.value_sets",
    "Loop": "loop",
    "Number": "values.value_sets",
    "Place": "place",
    "Possibility": "values.value_sets",
    "Project": "project",
    "SourceFile": "sourcefile",
    "StateDict": "values.value_sets",
    "Tensor": "values.value_sets",
    "Text": "values.value_sets",
    "Unknown": "values.value_sets",
    "Wrapping": "parallel.wrappers",
    "call_at": "calls",
    "calls_of": "calls",
    "is_recorded": "training.grad_mode",
    "is_same": "edits.reuse",
    "is_wrapped": "parallel.wrappers",
    "method_calls_of": "calls",
    "wrappings": "parallel.wrappers",
}


def __getattr__(name: str) -> object:
    """Load a name when it is first used: importing all of the model takes longer than linting a small file."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"torchlint.model.{_HOMES[name]}"), name)
    return found
