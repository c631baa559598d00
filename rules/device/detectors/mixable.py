"""Which expressions may mix tensors at all, by their syntax and names: most may not."""

from __future__ import annotations

import ast

from torchlint.pytorch.device_checks import UNCHECKED
from torchlint.pytorch.factories import FACTORIES
from torchlint.pytorch.in_place import CLAMPING
from torchlint.pytorch.symbols import FUNCTIONAL
from torchlint.syntax.last_names import last_name

from .clamping import is_clamping

_NO_TENSORS = (ast.Constant, ast.JoinedStr, ast.Dict, ast.DictComp, ast.Lambda, ast.List, ast.ListComp)
# Called often, and never with tensors on two devices; a list as an argument is `torch.cat([…])`.
_HARMLESS = frozenset(
    "print len range int float str bool isinstance getattr setattr hasattr zip enumerate min max sorted list tuple dict"
    " set super type format append extend join split replace startswith endswith add_argument info debug warning get"
    " items keys values pop view reshape permute transpose size expand unsqueeze squeeze flatten to cpu cuda"
    " device softmax log_softmax repeat contiguous chunk type_as new_zeros detach numpy item astype add_module"
    " register_buffer Parameter exists mkdir open write load load_state_dict backward step zero_grad".split()
)


def may_mix(node: ast.expr) -> bool:
    """Tell whether an operation may have two tensor operands, by its syntax: most have not."""
    match node:
        case ast.BinOp(left=left, right=right):
            return not isinstance(left, _NO_TENSORS) and not isinstance(right, _NO_TENSORS)
        case ast.Compare(ops=ops, comparators=comparators):
            is_identity = any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in ops)
            return not is_identity and not any(isinstance(one, _NO_TENSORS) for one in comparators)
        case ast.Subscript(slice=key):
            return not isinstance(key, (ast.Slice, ast.Tuple, *_NO_TENSORS))
        case ast.Call(func=function) if last_name(function).removesuffix("_") in CLAMPING:
            return is_clamping(node)
        case ast.Call(func=function, args=arguments, keywords=words):
            given = (*arguments, *(word.value for word in words))
            return last_name(function) not in _HARMLESS and not all(isinstance(one, ast.Constant) for one in given)
        case _:
            return False


def is_operation(name: str) -> bool:
    """Tell whether a function of PyTorch, by its full name, requires its tensors on one device."""
    if name in FACTORIES or name in UNCHECKED:
        return False
    return name.startswith(FUNCTIONAL) or (name.startswith("torch.") and name.count(".") == 1)
