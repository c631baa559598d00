"""Waits that no rule is about: every program has them, or they are inside a package that the program calls."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from torchlint.pytorch.waits import Kind
from torchlint.source import UnreadableSourceError, parse, read_source
from torchlint.verify.sites import Site
from torchlint.verify.waitlog import Wait

_KINDS = frozenset({Kind.UPLOAD, Kind.CHECK})
# PyTorch's Python for what tensors do themselves: printing one reads it.
_OF_TENSORS = ("torch/_tensor.py", "torch/_tensor_str.py", "torch/functional.py", "torch/_jit_internal.py")
_MOVES = frozenset({"to", "cuda"})


def is_unruled(wait: Wait) -> bool:
    """Tell whether no rule is about a wait: a copy to the GPU, or one inside a package."""
    site = wait.site
    if wait.kind in _KINDS or (wait.kind is Kind.STREAM and _moves_to_gpu(site)):
        return True
    # Of the reads of a `GradScaler`, rules report those that the program makes with `get_scale`.
    return bool(site.via) and not site.via.startswith(_OF_TENSORS) and not site.via.endswith(" in get_scale")


def _moves_to_gpu(site: Site) -> bool:
    """Tell whether a call moves something to the GPU, which on a real one is a wait like any other."""
    call = _calls(site.path).get((site.line, site.column, site.end_line, site.end_column))
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVES:
        return False
    asked = [*call.args, *(keyword.value for keyword in call.keywords)]
    return not any(isinstance(one, ast.Constant) and one.value == "cpu" for one in asked)


@cache
def _calls(path: str) -> dict[tuple[int, int, int | None, int | None], ast.Call]:
    """Return the calls of a file by their positions, none if it cannot be read."""
    try:
        tree = parse(read_source(path, Path(path).read_bytes()))
    except (OSError, UnreadableSourceError):
        return {}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {(call.lineno, call.col_offset, call.end_lineno, call.end_col_offset): call for call in calls}
