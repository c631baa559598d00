"""Replace an attribute, for a while."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

_MISSING = object()


def replace(stack: ExitStack, owner: object, name: str, value: object) -> None:
    """Replace an attribute until the stack unwinds."""
    before = vars(owner).get(name, _MISSING)
    setattr(owner, name, value)
    if before is _MISSING:
        stack.callback(delattr, owner, name)
    else:
        stack.callback(setattr, owner, name, before)


def replace_known(stack: ExitStack, owner: object, replacements: dict[str, Callable[..., object]]) -> None:
    """Replace existing attributes; not every version of PyTorch has every name."""
    for name, value in replacements.items():
        if hasattr(owner, name):
            replace(stack, owner, name, value)
