"""Leaves that want gradients and are changed in place while autograd records: PyTorch refuses that.

`p -= lr * p.grad` on a parameter, `self.scale.fill_(1)`, `w[0] = 0`. Checked on torch 2.13: "a leaf Variable that
requires grad is being used in an in-place operation", or "a view of a leaf Variable …" for a part of one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.gradients.always_recording import always_records
from torchlint.model.gradients.freezing import may_be_frozen
from torchlint.model.gradients.wanting_leaves import Leaf, leaf_of, may_be_leaf
from torchlint.model.guards.catching import is_caught
from torchlint.model.guards.reach import may_run
from torchlint.model.place import Place
from torchlint.model.syntax.last_names import root_of
from torchlint.model.syntax.walk import walk
from torchlint.model.training.recording import records

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values.evaluator import Evaluator

# Methods of tensors that change numbers in place, of which PyTorch refuses each on a leaf that wants gradients, and no
# other name that ends with an underscore (`detach_`, `requires_grad_`, `share_memory_`). Checked on torch 2.13.
_CHANGING = frozenset(
    f"{name}_"
    for name in (
        "abs add addcdiv addcmul addmm bernoulli ceil clamp clamp_max clamp_min clip copy cos div divide exp"
        " exponential fill fill_diagonal floor fmod index_add index_copy index_fill index_put lerp log mul multiply"
        " masked_fill masked_scatter nan_to_num neg normal pow random reciprocal relu remainder renorm round rsqrt"
        " scatter scatter_add sigmoid sign sin sqrt square squeeze sub subtract t tanh transpose tril triu true_divide"
        " trunc trunc_normal uniform unsqueeze zero"
    ).split()
)
# Tests of these may let through what autograd does not record.
_ASKED = frozenset({"is_grad_enabled", "is_inference_mode_enabled", "requires_grad", "is_leaf"})


@dataclass(frozen=True, slots=True)
class LeafChange:
    """A statement or call that changes a leaf in place."""

    place: Place
    """The target of an assignment, or the call."""
    leaf: Leaf


def leaf_changes(ev: Evaluator, file: SourceFile) -> Iterator[LeafChange]:
    """Yield where a file changes a leaf that surely wants gradients, while autograd surely records."""
    for place, changed in _changes(file):
        if not may_be_leaf(changed) or not records(place) or is_caught(place) or _is_asked_about(place):
            continue
        leaf = leaf_of(ev, changed)
        if leaf is None or may_be_frozen(ev, changed, leaf):
            continue
        if may_run(ev, place) and always_records(ev, place):
            yield LeafChange(place, leaf)


def _changes(file: SourceFile) -> Iterator[tuple[Place, Place]]:
    """Yield what changes something in place, each with what is changed, as far as its form shows."""
    for statement in file.index.statements(ast.AugAssign):
        # Tensors have no `@=` of their own: it makes another.
        if not isinstance(statement.op, ast.MatMult) and (changed := _whole(statement.target)) is not None:
            place = Place(file, statement.target, statement)
            yield place, place.at(changed)
    for assignment in file.index.statements(ast.Assign):
        for target in assignment.targets:
            if isinstance(target, ast.Subscript) and (changed := _whole(target)) is not None:
                place = Place(file, target, assignment)
                yield place, place.at(changed)
    for call in file.method_calls(*_CHANGING):
        if call.owner is not None and (changed := _viewed(call.owner.expression)) is not None:
            yield call, call.at(changed)


def _whole(target: ast.expr) -> ast.expr | None:
    """Return what a part of is changed: `w` of `w[0] = 1` and of `w[0] += 1`; nothing has its parts under texts."""
    while isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return None
        target = target.value
    return target


def _viewed(node: ast.expr) -> ast.expr | None:
    """Return what a method changes that is called on it or on a part: any but plain indices make a copy of theirs."""
    while isinstance(node, ast.Subscript):
        if not _is_plain(node.slice):
            return None
        node = node.value
    return node if root_of(node) is not node or isinstance(node, ast.Name) else None


def _is_plain(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(part, (ast.Slice, ast.Constant)) for part in parts)


def _is_asked_about(place: Place) -> bool:
    """Tell whether a test on the way asks for the mode of autograd, or for what wants gradients."""
    for test, holds in place.tests:
        for node in walk(test.expression):
            if isinstance(node, (ast.Name, ast.Attribute)) and test.at(node).word in _ASKED:
                return not (holds and test.expression is node and test.at(node).word == "requires_grad")
    return False
