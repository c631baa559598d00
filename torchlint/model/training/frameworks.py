"""Which framework a file trains with, as its imports say: others have PyTorch's names for what works otherwise."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile

ALIKE = frozenset({"chainer", "jittor", "mxnet", "oneflow", "paddle", "tinygrad"})
"""The packages whose losses go back by `backward()` as well."""


def imports_torch(file: SourceFile) -> bool:
    """Tell whether a file imports PyTorch anywhere."""
    return "torch" in _imported(file)


def is_for_another(file: SourceFile) -> bool:
    """Tell whether a file imports another framework and not PyTorch: its losses are no tensors of torch."""
    packages = _imported(file)
    return "torch" not in packages and not packages.isdisjoint(ALIKE)


def _imported(file: SourceFile) -> set[str]:
    """Return the outermost packages that a file imports from."""
    modules = [alias.name for statement in file.index.statements(ast.Import) for alias in statement.names]
    modules += [one.module or "" for one in file.index.statements(ast.ImportFrom) if not one.level]
    return {module.partition(".")[0] for module in modules}
