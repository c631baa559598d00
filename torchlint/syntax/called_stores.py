"""Stores into attributes by a call: `self.add_module("head", head)`, `setattr(self, "head", head)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.scope import Store

if TYPE_CHECKING:
    from torchlint.syntax.index import Index

# https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.add_module
_REGISTERING = ("add_module", "register_module")


def called_stores(index: Index) -> Iterator[Store]:
    """Yield what calls store in attributes with constant names."""
    for method in _REGISTERING:
        for call, statement in index.calls(method):
            match call:
                case ast.Call(func=ast.Attribute(value=target), args=[ast.Constant(value=str(name)), value]):
                    yield Store(target, name, "assign", statement, value)
    for call, statement in index.calls("setattr"):
        match call:
            case ast.Call(func=ast.Name(), args=[target, ast.Constant(value=str(name)), value]):
                yield Store(target, name, "assign", statement, value)
