"""What there is to lint."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from torchlint.files.gitignore import patterns
from torchlint.rule import Rule

if TYPE_CHECKING:
    from torchlint.project.dependencies import IndexLookup
    from torchlint.pytorch.requirements import Required, Requirements

_EVERYTHING = "all"


class Target(Protocol):
    """A file to lint: its location, and its name in findings."""

    @property
    def path(self) -> Path:
        """Where to read it."""
        ...

    @property
    def shown(self) -> str:
        """Its name in output: POSIX, relative to the working directory."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """The files of one project that are linted in the same way.

    The patterns of `per_file_ignores` are those of `.gitignore`, relative to `config_root`: to the root of the
    project where none is given. `silent` are names of the engine's own findings, or their group, that are not wanted.
    The files in `named` are parsed even where no rule has anything to look for in them: the user asked for these very
    files. With `traceback`, failures are reported with their traceback; without `respects_comments`, no comment
    suppresses findings. `others` are files of the run that are not to be linted any more, and `sought` is what texts
    the project's files are known to hold. `companions` are the versions of other packages that the project
    requires, and `nested` what its folders require for the files in them.
    """

    root: Path
    targets: tuple[Target, ...]
    rules: Sequence[Rule]
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    target_torch: tuple[int, int] | None = None
    companions: tuple[Required, ...] = ()
    nested: tuple[Requirements, ...] = ()
    config_root: Path | None = None
    silent: frozenset[str] = frozenset()
    named: frozenset[Path] = frozenset()
    traceback: bool = False
    respects_comments: bool = True
    others: tuple[Target, ...] = ()
    sought: tuple[IndexLookup, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the files of the run, in the same order however many are left to lint."""
        return dict(sorted((location(target.path), target.shown) for target in (*self.targets, *self.others)))

    def ignored_in(self, location: Path) -> frozenset[str]:
        """Return the names of rules that are disabled in a file."""
        root = (self.config_root or self.root).absolute()
        if not self.per_file_ignores or not location.is_relative_to(root):
            return self.silent
        path = location.as_posix()
        lists = (names for pattern, names in self.per_file_ignores if patterns(root, (pattern,)).says(path))
        return self.silent.union(*lists)


def location(path: Path) -> str:
    """Return an absolute path without `..`, so that a file has one name."""
    return os.path.abspath(path)  # noqa: PTH100 -- `resolve` would follow links


def is_named(names: Collection[str], name: str, group: str) -> bool:
    """Tell whether names include a rule: by its own, its group's, or `all`."""
    return name in names or group in names or _EVERYTHING in names
