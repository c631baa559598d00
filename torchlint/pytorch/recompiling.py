"""What Dynamo compiles a function again for, with every new value: numbers and strings that it takes for constants.

By default it makes a number that changes dynamic when it first compiles again; not so an int that an `nn.Module` has
(`torch._dynamo.config.allow_unspec_int_on_nn_module`), nor one that says how often a loop is unrolled, nor a string.
A new layer or closure in every step does not. Read and run on torch 2.13.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Constant(Enum):
    """A number that compiled code may have for a constant."""

    ATTRIBUTE = "int attribute of a module"
    ARGUMENT = "number that is passed"
    ROUNDS = "number that is passed, and `range` is given"
    TEXT = "string that is passed"


ALWAYS: Mapping[Constant, frozenset[bool | None]] = {
    Constant.ATTRIBUTE: frozenset({None, True, False}),
    Constant.ARGUMENT: frozenset({False}),
    Constant.ROUNDS: frozenset({None, True, False}),
    Constant.TEXT: frozenset({None, True, False}),
}
"""With which `dynamic` of `torch.compile` every value of it is compiled for."""

RECOMPILE_LIMIT = 8
"""How often a function is compiled before Dynamo gives up, and runs it as it is (`torch._dynamo.config`)."""
