"""Tests of tensors that are named after their device, `labels_cuda.ndim == 4`: these choose no device."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Array, Tensor
from torchlint.syntax.device_words import is_named_after_hardware, words_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def asks_for_choice(ev: Evaluator, test: Place) -> bool:
    """Tell whether a test is about the device, and not only about tensors that are named after one."""
    return any(not _is_tensor(ev, test, node) for node in words_about_device(test.expression))


def _is_tensor(ev: Evaluator, test: Place, node: ast.AST) -> bool:
    if not isinstance(node, (ast.Name, ast.Attribute)) or not is_named_after_hardware(node):
        return False
    possible = ev.evaluate(test.at(node))
    return bool(possible) and all(isinstance(one.value, (Tensor, Array)) for one in possible)
