"""Which versions of a companion a project may run with, by its own requirements."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


class Requirements(NamedTuple):
    """What the files of a folder require for the code in it; without a folder, for all code."""

    folder: str
    oldest_torch: Version | None = None
    companions: tuple[Required, ...] = ()

    def include(self, location: str) -> bool:
        """Tell whether a file lies in the folder; both paths are absolute."""
        return location.startswith(os.path.join(self.folder, ""))  # noqa: PTH118

    def required(self, package: str) -> Required:
        """Return what the folder itself requires of a package, as it is imported."""
        return next((one for one in self.companions if one.package == package), Required(package))


def nearest_torch(requirements: Iterable[Requirements], location: str) -> Version | None:
    """Return the oldest torch for a file, by the first folder around it that says so."""
    found = (one.oldest_torch for one in requirements if one.include(location))
    return next((one for one in found if one is not None), None)


def nearest_required(requirements: Iterable[Requirements], location: str, package: str) -> Required:
    """Return what the first folder around a file that says so requires of a package."""
    anything = Required(package)
    found = (one.required(package) for one in requirements if one.include(location))
    return next((one for one in found if one != anything), anything)
