"""Which versions of a companion a project may run with, by its own requirements."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Version: TypeAlias = "tuple[int, int]"

DISTRIBUTIONS = {
    "accelerate": "accelerate",
    "deepspeed": "deepspeed",
    "lightning": "lightning",
    "pytorch": "torch",
    "pytorch-lightning": "pytorch_lightning",
    "torch": "torch",
    "torchaudio": "torchaudio",
    "torchvision": "torchvision",
    "transformers": "transformers",
}
"""The packages that facts of some versions are known of: what PyPI or conda calls them, and how they are imported."""


class Required(NamedTuple):
    """What a project requires of a package, as it is imported: the oldest version, and the first one too new."""

    package: str
    oldest: Version | None = None
    below: Version | None = None

    def may_be_from(self, version: Version) -> bool:
        """Tell whether a version, or one after it, may be installed."""
        return self.below is None or self.below > version

    def is_from(self, version: Version) -> bool:
        """Tell whether a version, or one after it, is surely installed."""
        return self.oldest is not None and self.oldest >= version
