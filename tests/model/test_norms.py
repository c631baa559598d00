"""Where the norm of gradients is that clipping returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Tensor
from torchlint.model.worlds import WITH_CUDA

Program: TypeAlias = Callable[[str], Checkout]

CODE = """\
import torch
from torch.nn import Linear, utils
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def clip(unknown):
    moved, plain = Linear(2, 2).to(device), Linear(2, 2)
    return utils.clip_grad_norm_({given}, unknown)
"""


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("moved.parameters()", "cuda"),
        ("list(moved.parameters())", "cuda"),
        ("plain.parameters()", None),
        ("unknown", None),
        ("list(unknown)", None),
    ],
)
def test_a_norm_is_where_the_module_is(program: Program, given: str, kind: str | None) -> None:
    text = f"utils.clip_grad_norm_({given}, unknown)"
    (norm,) = program(CODE.format(given=given)).values(text, world=WITH_CUDA)

    assert isinstance(norm, Tensor)
    assert (norm.device.kind if norm.device is not None else None, norm.graph) == (kind, False)
