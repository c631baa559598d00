"""The settings of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.files.skipped import EXCLUDED
from torchlint.finding import Confidence, Severity
from torchlint.presets import DEFAULT, PRESETS
from torchlint.rule import OptionValue


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project, all of them checked.

    `root` is the folder of its file, or else the working directory; its patterns are relative to `base`, which is
    another folder only if some of them come from another file. Without `select`, the rules of the preset run; if
    `include` names anything, nothing else is linted below a folder. `extensions` are those of Python besides its own.
    None means that the command line and its defaults decide; `notes` are for the user.
    """

    root: Path
    file: Path | None = None
    preset: str = DEFAULT
    preview: bool = False
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    exclude: tuple[str, ...] = EXCLUDED
    force_exclude: bool = False
    respect_gitignore: bool = True
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: Path | None = None
    target_torch: tuple[int, int] | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    min_confidence: Confidence | None = None
    fail_on: Severity | None = None
    baseline: Path | None = None
    output_format: str | None = None
    group: bool | None = None
    site: str | None = None
    cache_dir: Path | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    rule_options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict[str, Mapping[str, OptionValue]])
    notes: tuple[str, ...] = ()

    @property
    def patterns_from(self) -> Path:
        """Return the folder that patterns are relative to."""
        return self.base or self.root

    @property
    def selected(self) -> tuple[str, ...] | None:
        """Return the names and groups of the rules that run; None for those that are on by default."""
        return PRESETS[self.preset].select if self.select is None else self.select

    @property
    def confidence(self) -> Confidence:
        """Return the least confidence of the findings that are shown."""
        return self.min_confidence or PRESETS[self.preset].confidence


def default_config(root: Path) -> Config:
    """Return the settings of a project that has none."""
    return Config(root)
