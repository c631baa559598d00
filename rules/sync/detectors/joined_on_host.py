"""Parts of pinned batches that are joined on the host, and copied to a GPU then: the joined tensor is not pinned.

`torch.cat` and its like allocate their result, and the allocator of the CPU does not pin (torch 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at
from torchlint.model.devices.moving import moved_to
from torchlint.model.roles import is_made_as
from torchlint.model.values.value_sets import HOST, Possibility, Tensor
from torchlint.pytorch.dtypes import JOINING
from torchlint.pytorch.roles import Role
from torchlint.syntax.arguments import passed

from .asynchronous import non_blocking

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class JoinedCopy:
    """A non-blocking copy to a GPU, and the call that joined what it copies from parts of batches."""

    call: Call
    joins: Call


def joined_copies(ev: Evaluator, file: ParsedFile) -> Iterator[JoinedCopy]:
    """Yield the copies to a GPU of what a file joins from parts of the batches of a loader."""
    for call in non_blocking(file, "to", "cuda"):
        if call.owner is None or (call.method == "to" and moved_to(ev, call, "to", None) == HOST):
            continue
        joins = [_joining(ev, one) for one in ev.evaluate(call.owner)]
        if joins and joins[0] is not None and None not in joins:
            yield JoinedCopy(call, joins[0])


def _joining(ev: Evaluator, one: Possibility) -> Call | None:
    """Return the call that makes a tensor on the host from parts of batches, if that is how it is made."""
    if not isinstance(one.value, Tensor) or one.value.device != HOST or one.origin is None:
        return None
    call = call_at(one.origin)
    if call is None or call.is_open or "out" in call.keywords or not call.callee.names & JOINING:
        return None
    assert isinstance(call.expression, ast.Call)
    parts = passed(call.expression, "tensors", 0)
    if not isinstance(parts, (ast.List, ast.Tuple)) or not parts.elts:
        return None
    possible = [ev.evaluate(call.at(part)) for part in parts.elts]
    return call if all(found and all(_is_of_batch(ev, part) for part in found) for found in possible) else None


def _is_of_batch(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a value is what a loader yields."""
    made = call_at(one.origin) if one.origin is not None else None
    return made is not None and any(is_made_as(ev, loader.value, Role.LOADER) for loader in ev.evaluate(made))
