"""Which framework a file trains with, by its imports: others use PyTorch's names for other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.syntax.binding import modules_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

ALIKE = frozenset({"chainer", "jittor", "mxnet", "oneflow", "paddle", "tinygrad"})
"""The packages whose losses have a `backward()` as well."""


def imports_torch(file: ParsedFile) -> bool:
    """Tell whether a file imports PyTorch anywhere."""
    return "torch" in _imported(file)


def is_for_another(file: ParsedFile) -> bool:
    """Tell whether a file imports another framework and not PyTorch: its losses are no tensors of torch."""
    packages = _imported(file)
    return "torch" not in packages and not packages.isdisjoint(ALIKE)


def _imported(file: ParsedFile) -> set[str]:
    """Return the top-level packages that a file imports from."""
    modules = (module for statement in file.index.imports for module in modules_of(statement))
    return {module.partition(".")[0] for module in modules}
