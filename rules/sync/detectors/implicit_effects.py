"""What queues work for the GPU, or waits for it, without a call: operators, tests, and formatted values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syncs.branching import asked
from torchlint.model.syncs.formatting import formatted

from .waiting import is_on_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def operations_in(file: ParsedFile, scope: Scope) -> Iterator[Place]:
    """Yield the operators in a function: `a @ b`."""
    for node, statement in file.index.expressions(ast.BinOp):
        if file.index.home[statement][0].scope is scope:
            yield Place(file, node, statement)


def queues(ev: Evaluator, operation: Place) -> bool:
    """Tell whether an operator computes a tensor on a GPU."""
    return is_on_device(ev.evaluate(operation))


def reads_in(file: ParsedFile, scope: Scope) -> Iterator[Place]:
    """Yield what a function shows or tests: a tensor on a GPU makes it wait without a call."""
    for place in (*asked(file), *(shown for shown, _ in formatted(file))):
        if place.scope is scope:
            yield place


def waits_for(ev: Evaluator, read: Place) -> bool:
    """Tell whether what is shown or tested is a tensor on a GPU."""
    return is_on_device(ev.evaluate(read))
