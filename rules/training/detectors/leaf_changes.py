"""Leaves that require gradients and are changed in place while autograd records: PyTorch raises.

`p -= lr * p.grad` on a parameter, `self.scale.fill_(1)`, `w[0] = 0`. Checked on torch 2.13: "a leaf Variable that
requires grad is being used in an in-place operation", or "a view of a leaf Variable …" for a part of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.catching import is_caught
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.training.freezing import may_be_frozen
from torchlint.model.training.grad_mode import is_asked_for, is_recorded

from .always_recording import always_records
from .grad_leaves import Leaf, leaf_of, may_be_leaf
from .in_place import changes_in_place

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class LeafChange:
    """A statement or call that changes a leaf in place."""

    place: Place
    """The target of an assignment, or the call."""
    leaf: Leaf


def leaf_changes(ev: Evaluator, file: ParsedFile) -> Iterator[LeafChange]:
    """Yield where a file changes a leaf that surely requires gradients, while autograd surely records."""
    for place, changed in changes_in_place(file):
        if not may_be_leaf(ev, changed) or not is_recorded(place) or is_caught(place) or is_asked_for(place):
            continue
        leaf = leaf_of(ev, changed)
        if leaf is None or may_be_frozen(ev, changed, leaf.place):
            continue
        if is_reachable(ev, place) and always_records(ev, place):
            yield LeafChange(place, leaf)
