"""Why Dynamo cannot take something into a graph, and where that raises."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Untraced(Enum):
    """Why Dynamo cannot trace something."""

    NUMBER = "reads a Python number from a tensor"
    READ = "needs a Python number of a tensor"
    SHAPE = "returns a tensor whose size depends on data"
    BRANCH = "tests the value of a tensor"
    SYMBOL = "tests a number that is read from a tensor"
    VALUE = "needs the value of a tensor"
    TEXT = "makes a text of a tensor"
    OUTPUT = "writes an output"
    CALL = "is a call that Dynamo does not trace"
    GRADIENT = "computes gradients"
    UPDATE = "updates parameters"
    PARAMETER = "makes a parameter"
    RECURRENT = "is a recurrent layer"
    ATTRIBUTE = "sets an attribute of a tensor"
    DISABLED = "is disabled for the compiler"


class Tracing(Enum):
    """How code is traced into one graph."""

    WHOLE = "fullgraph=True"
    EXPORTED = "torch.export"
    STRICT = "torch.export with strict=True"


_ALL = frozenset(Tracing)
_BY_DYNAMO = frozenset({Tracing.WHOLE, Tracing.STRICT})
RAISES: Mapping[Untraced, frozenset[Tracing]] = {
    # Both become symbols of the graph, which nothing may test.
    Untraced.NUMBER: frozenset(),
    Untraced.SHAPE: frozenset(),
    Untraced.READ: frozenset({Tracing.WHOLE}),
    Untraced.BRANCH: _ALL,
    Untraced.SYMBOL: _ALL,
    Untraced.VALUE: _ALL,
    Untraced.TEXT: _BY_DYNAMO,
    # Export puts `print` and warnings off to the end of the graph.
    Untraced.OUTPUT: frozenset({Tracing.WHOLE}),
    Untraced.CALL: _BY_DYNAMO,
    Untraced.GRADIENT: _BY_DYNAMO,
    Untraced.UPDATE: _BY_DYNAMO,
    Untraced.PARAMETER: _BY_DYNAMO,
    Untraced.RECURRENT: _BY_DYNAMO,
    Untraced.ATTRIBUTE: _BY_DYNAMO,
    Untraced.DISABLED: _BY_DYNAMO,
}
"""With which kind of one graph it raises."""
IN_ONE_GRAPH = frozenset({Untraced.DISABLED, Untraced.SYMBOL})
"""What is no mistake where the graph may break: it is asked for, or the graph has broken where the number is read."""
OPTIONS: Mapping[Untraced, tuple[str, ...]] = {
    Untraced.NUMBER: ("capture_scalar_outputs",),
    Untraced.READ: ("capture_scalar_outputs",),
    Untraced.SHAPE: ("capture_dynamic_output_shape_ops",),
    Untraced.OUTPUT: ("reorderable_logging_functions", "ignore_logging_functions", "ignore_logger_methods"),
    Untraced.GRADIENT: ("trace_autograd_ops",),
    Untraced.RECURRENT: ("allow_rnn",),
}
"""The options of `torch._dynamo.config` with which it is traced, or ignored."""


def each(untraced: Untraced, space: str, names: str) -> dict[str, Untraced]:
    """Return a row for each of the names, which a text lists, in a module."""
    return {f"{space}{name}": untraced for name in names.split()}
