"""Modes of autograd that are made and never entered: `torch.no_grad()` as a statement of its own.

Both `torch.set_grad_enabled(False)` and `torch.no_grad().__enter__()` take effect at once. Checked on torch 2.13.
https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.catching import is_expected
from torchlint.model.place import Place
from torchlint.pytorch.grad_modes import GRAD_MODES
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_MODES = frozenset(
    f"torch.{space}{name}"
    for space in ("", "autograd.", "autograd.grad_mode.")
    for name, mode in GRAD_MODES.items()
    if not mode.is_passed
)


def idle_modes(file: ParsedFile) -> Iterator[Place]:
    """Yield the statements of a file that only make a mode of autograd, in source order."""
    words = file.words_for(_MODES)
    for statement in file.index.statements(ast.Expr):
        node = statement.value
        function = node.func if isinstance(node, ast.Call) else node
        if last_name(function) not in words:
            continue
        place = Place(file, node, statement)
        is_meant = place.at(function).names & _MODES and not is_expected(place) and not _is_asked_for(place)
        if is_meant and not _is_entered_below(place, words):
            yield place


def _is_asked_for(place: Place) -> bool:
    """Tell whether a `try` only finds out whether this PyTorch has the mode."""
    around = place.file.index.home[place.statement][0].owner
    return isinstance(around, ast.Try) and around.body == [place.statement]


def _is_entered_below(place: Place, words: frozenset[str]) -> bool:
    """Tell whether a `with` block further down enters a mode after all: then the call costs nothing."""
    block, at = place.file.index.home[place.statement]
    below = (one for one in block.body[at + 1 :] if isinstance(one, (ast.With, ast.AsyncWith)))
    entered = (item.context_expr for one in below for item in one.items)
    return any(last_name(node.func if isinstance(node, ast.Call) else node) in words for node in entered)
