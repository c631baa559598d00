"""Find mistakes in PyTorch code without running it.

What the author of a rule needs is here, and nothing else is public: a rule asks a
`SourceFile` what the code means, and answers with `Finding`s.
"""

from pathlib import Path

from torchlint.finding import Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.model import (
    ANYWHERE,
    WITH_CUDA,
    WITHOUT_CUDA,
    Array,
    Assignment,
    Built,
    Call,
    Class,
    DefinedClass,
    DefinedFunction,
    Device,
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
    Unknown,
    Whereabouts,
    Wrapping,
)
from torchlint.rule import Rule

__all__ = [
    "ANYWHERE",
    "WITHOUT_CUDA",
    "WITH_CUDA",
    "Array",
    "Assignment",
    "Built",
    "Call",
    "Class",
    "Confidence",
    "DefinedClass",
    "DefinedFunction",
    "Device",
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
    "Place",
    "Possibility",
    "Rule",
    "Severity",
    "SourceFile",
    "Span",
    "StateDict",
    "Step",
    "Tensor",
    "Unknown",
    "Whereabouts",
    "Wrapping",
]
__version__ = "0.1.0"

# A checkout keeps `rules/` and `fixtures/` beside this package; a wheel carries them inside it.
if not Path(__file__).with_name("rules").is_dir():
    __path__.append(str(Path(__file__).parents[1]))
