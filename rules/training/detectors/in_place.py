"""What changes a tensor in place, by its syntax: `w -= 1`, `w[0] = 1`, `w.fill_(1)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import method_calls_of
from torchlint.model.place import Place
from torchlint.syntax.indices import parts_of
from torchlint.syntax.last_names import root_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

# Methods of tensors that change data in place, each of which PyTorch rejects on a leaf that requires gradients, and no
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


def changes_in_place(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield what changes something in place, each with what is changed, by its syntax."""
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
    for call in method_calls_of(file, frozenset(_CHANGING)):
        if call.owner is not None and (changed := _viewed(call.owner.expression)) is not None:
            yield call, call.at(changed)


def _whole(target: ast.expr) -> ast.expr | None:
    """Return what is changed in part: `w` of `w[0] = 1` and of `w[0] += 1`; with a string as key it is no tensor."""
    while isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return None
        target = target.value
    return target


def _viewed(node: ast.expr) -> ast.expr | None:
    """Return the receiver that a method changes, itself or a part: any but plain indices make a copy."""
    while isinstance(node, ast.Subscript):
        if not _is_plain(node.slice):
            return None
        node = node.value
    return node if root_of(node) is not node or isinstance(node, ast.Name) else None


def _is_plain(index: ast.expr) -> bool:
    return all(isinstance(part, (ast.Slice, ast.Constant)) for part in parts_of(index))
