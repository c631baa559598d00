"""What the code means: the questions that a rule may ask of a file."""

from torchlint.model.calls import Call
from torchlint.model.defined import DefinedClass, DefinedFunction
from torchlint.model.device_names import DeviceNames
from torchlint.model.hardcoded import CudaDemand
from torchlint.model.loop import Loop
from torchlint.model.place import Place
from torchlint.model.placement import Whereabouts
from torchlint.model.project import Project
from torchlint.model.sourcefile import SourceFile
from torchlint.model.stored import Assignment
from torchlint.model.values import (
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
from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITHOUT_CUDA
from torchlint.model.wrappers import Wrapping

__all__ = [
    "ANYWHERE",
    "WITHOUT_CUDA",
    "WITH_CUDA",
    "Array",
    "Assignment",
    "Built",
    "Call",
    "Class",
    "CudaDemand",
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
    "Whereabouts",
    "Wrapping",
]
