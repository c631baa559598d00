"""Tests that only pass for another device than a CUDA GPU: `x.device.type == "mps"`, `not self.use_cuda`."""

from __future__ import annotations

import ast
import re

# The device types of PyTorch and its companion packages:
# https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
_OTHERS = re.compile(r"(mps|xpu|hpu|mtia|npu|mlu|musa|xla|ipu)(:\d+)?")
_CUDA = "cuda"
# Flags by their names, which programs write together as well: `use_cuda`, `isCuda`, `no_cuda`, `cpu_only`.
_FOR_CUDA = re.compile(r"(use|is|on|with|has|enable)?_?(cuda|gpu)(_?available|_?enabled)?")
_FOR_HOST = re.compile(r"(no|disable|without)_?(cuda|gpu)|((use|is|on|force)_?)?cpu(_?only)?")


def is_of_other_device(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test has its outcome only for another device than CUDA's."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
            is_equal = isinstance(op, ast.Eq) is holds
            return _tells_other(left, right, is_equal) or _tells_other(right, left, is_equal)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
            # `"mps" in str(device)`
            return isinstance(op, ast.In) is holds and _tells_other(right, left, True)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return (_FOR_HOST if holds else _FOR_CUDA).fullmatch(name.lower()) is not None
        case _:
            return False


def _tells_other(asked: ast.expr, kind: ast.expr, is_equal: bool) -> bool:
    """Tell whether a comparison with the name of a device means another one than CUDA's."""
    if not isinstance(kind, ast.Constant) or not isinstance(kind.value, str):
        return False
    is_kind = isinstance(asked, ast.Attribute) and asked.attr == "type"
    if not is_equal:
        return is_kind and kind.value == _CUDA
    return _OTHERS.fullmatch(kind.value) is not None or (is_kind and kind.value == "cpu")
