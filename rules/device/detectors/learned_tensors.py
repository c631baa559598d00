"""Plain tensors that are to be learned: they are made with `requires_grad=True`, and should be parameters.

https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.place import Place


def is_to_be_learned(tensor: Place) -> bool:
    """Tell whether an expression makes a tensor that records gradients, possibly as a part: in a list of tensors."""
    calls = (call_at(tensor.at(node)) for node in walk(tensor.expression) if isinstance(node, ast.Call))
    asked = [one.argument("requires_grad") for one in calls if one is not None]
    return any(one is not None and one.literals == (True,) for one in asked)
