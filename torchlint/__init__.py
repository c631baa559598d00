"""Find mistakes in PyTorch code without running it.

What the author of a rule needs is here, and nothing else is public: a rule asks a
`SourceFile` what the code means, and answers with `Finding`s.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.finding import Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.rule import OptionValue, Rule
from torchlint.words import DEVICE_WORDS, TRAINING_WORDS

if TYPE_CHECKING:
    from torchlint.model import (
        ANYWHERE,
        WITH_CUDA,
        WITHOUT_CUDA,
        Array,
        Assignment,
        Built,
        Call,
        Class,
        CudaDemand,
        DefinedClass,
        DefinedFunction,
        Device,
        DeviceNames,
        Display,
        Function,
        Imported,
        Instance,
        Literal,
        Loop,
        Number,
        Place,
        Possibility,
        SourceFile,
        StateDict,
        Tensor,
        Text,
        Unknown,
        Whereabouts,
        Wrapping,
    )

__all__ = [
    "ANYWHERE",
    "DEVICE_WORDS",
    "TRAINING_WORDS",
    "WITHOUT_CUDA",
    "WITH_CUDA",
    "Array",
    "Assignment",
    "Built",
    "Call",
    "Class",
    "Confidence",
    "CudaDemand",
    "DefinedClass",
    "DefinedFunction",
    "Device",
    "DeviceNames",
    "Display",
    "Edit",
    "Finding",
    "Fix",
    "Function",
    "Imported",
    "Instance",
    "Literal",
    "Loop",
    "Number",
    "OptionValue",
    "Place",
    "Possibility",
    "Rule",
    "Severity",
    "SourceFile",
    "Span",
    "StateDict",
    "Step",
    "Tensor",
    "Text",
    "Unknown",
    "Whereabouts",
    "Wrapping",
]
__version__ = "0.1.0"

# A checkout keeps `rules/` and `fixtures/` beside this package; a wheel carries them inside it.
if not Path(__file__).with_name("rules").is_dir():
    __path__.append(str(Path(__file__).parents[1]))


def __getattr__(name: str) -> object:
    """Load what is of the model when a rule first asks for it: that takes longer than all of `torchlint --version`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import torchlint.model

    globals()[name] = found = getattr(torchlint.model, name)
    return found
