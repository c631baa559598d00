"""Find mistakes in PyTorch code without running it.

What the author of a rule needs is here, and nothing else is public: a rule queries a `SourceFile` for the meaning of
its code, and returns `Finding`s.
"""

from __future__ import annotations

import os
import sys

# With `-m`, Python searches the working directory first, which may be the linted project: from here on, no `typing.py`
# of the user's is run in place of Python's own. A checkout of ours is itself run from there.
if (
    sys.argv[:1] == ["-m"]
    and sys.orig_argv[-len(sys.argv)].removeprefix("-m").partition(".")[0] == "torchlint"
    and sys.path[:1] == [os.getcwd()]  # noqa: PTH109 -- compared to what Python wrote
    and os.path.dirname(__path__[0]) != sys.path[0]  # noqa: PTH120
):
    del sys.path[0]

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.finding import Cause, Confidence, Edit, Finding, Fix, Severity, Span, Step
    from torchlint.model import (
        ANYWHERE,
        WITH_CUDA,
        WITH_GPUS,
        WITH_ONE_GPU,
        WITHOUT_CUDA,
        Array,
        Assignment,
        Built,
        Call,
        Class,
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
        Wrapping,
        call_at,
        calls_of,
        is_recorded,
        is_same,
        is_wrapped,
        method_calls_of,
        wrappings,
    )
    from torchlint.quoting import quoted
    from torchlint.rule import OptionValue, Rule
    from torchlint.words import DEVICE_WORDS, TRAINING_WORDS

__all__ = [
    "ANYWHERE",
    "DEVICE_WORDS",
    "TRAINING_WORDS",
    "WITHOUT_CUDA",
    "WITH_CUDA",
    "WITH_GPUS",
    "WITH_ONE_GPU",
    "Array",
    "Assignment",
    "Built",
    "Call",
    "Cause",
    "Class",
    "Confidence",
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
    "Wrapping",
    "call_at",
    "calls_of",
    "is_recorded",
    "is_same",
    "is_wrapped",
    "method_calls_of",
    "quoted",
    "wrappings",
]
__version__ = "0.1.0"

# A checkout keeps `rules/` and `fixtures/` beside this package; a wheel carries them inside it.
if not Path(__file__).with_name("rules").is_dir():
    __path__.append(str(Path(__file__).parents[1]))


# What is not of the model, by its module.
_HOMES = {
    **dict.fromkeys(("Cause", "Confidence", "Edit", "Finding", "Fix", "Severity", "Span", "Step"), "finding"),
    **dict.fromkeys(("OptionValue", "Rule"), "rule"),
    **dict.fromkeys(("DEVICE_WORDS", "TRAINING_WORDS"), "words"),
    "quoted": "quoting",
}


def __getattr__(name: str) -> object:
    """Load what a rule uses when it first does: the model takes longer than all of `torchlint --version`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = import_module(f"torchlint.{_HOMES.get(name, 'model')}")
    globals()[name] = found = getattr(home, name)
    return found
