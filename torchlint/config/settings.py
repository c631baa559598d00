"""What a project settles for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.rule import OptionValue


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project, every one of them checked.

    `root` is what its patterns are relative to: the folder of its file, or else where torchlint runs. Without
    `select`, the rules run that are on by default; `exclude` adds to what is skipped anyway.
    """

    root: Path
    file: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    target_torch: tuple[int, int] | None = None
    rule_options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict[str, Mapping[str, OptionValue]])


def default_config(root: Path) -> Config:
    """Return what holds for a project that settles nothing."""
    return Config(root)
