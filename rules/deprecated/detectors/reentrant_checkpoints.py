"""Checkpointed computations without a choice of how to recompute: by a backward of their own, or by hooks.

Without `use_reentrant`, torch 2.13 uses the first and warns with every call that a later release will raise:
torch/utils/checkpoint.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.pytorch.checkpointing import CHECKPOINT_SEQUENTIAL, PASSED_ON_AT, REENTRANT, REENTRANT_SINCE
from torchlint.syntax.arguments import has_open_keywords

from .prepared import is_prepared

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def reentrant_checkpoints(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the calls of a file that checkpoint a computation without that choice."""
    target = file.oldest_torch
    names = frozenset(name for name, since in REENTRANT_SINCE.items() if target is None or target >= since)
    for call in calls_of(file, names):
        if not _has_choice(call) and not _asks_before(call) and not is_prepared(ev, call):
            yield call


def _has_choice(call: Call) -> bool:
    node = call.expression
    assert isinstance(node, ast.Call)
    is_sequential = CHECKPOINT_SEQUENTIAL in call.callee.names
    is_passed = call.argument(REENTRANT, PASSED_ON_AT if is_sequential else None) is not None
    return is_passed or has_open_keywords(node) or (is_sequential and call.is_open)


def _asks_before(call: Call) -> bool:
    """Tell whether a program checks whether there is such an argument, or has tried it first."""
    blocks = call.file.index.blocks_around(call.statement)
    is_second = any(isinstance(block.owner, ast.ExceptHandler) for block, _ in blocks)
    return is_second or any(REENTRANT in test.code or "signature(" in test.code for test, _ in call.tests)
