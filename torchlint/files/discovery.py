"""Find the files to lint: those that are named, and those below the folders that are named."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from torchlint.errors import RunError, UsageError
from torchlint.files.display_path import shown
from torchlint.files.existence import is_folder, is_present
from torchlint.files.folders import SUFFIXES, Walk
from torchlint.files.gitignore import Ignored, patterns
from torchlint.files.leftout import LeftOut
from torchlint.files.regular import open_regular
from torchlint.files.skipped import EXCLUDED, is_skipped

_SHEBANG = re.compile(rb"#!.*python")
_LONGEST_SHEBANG = 256


@dataclass(frozen=True, slots=True)
class Target:
    """A file to lint, its name in output, and whether the user named the file itself."""

    path: Path
    shown: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A path that does not exist, and a similar one that does."""

    path: Path
    similar: Path | None = None

    @property
    def message(self) -> str:
        """Return the message for the user."""
        return f"path does not exist: {self.path.as_posix()}"

    @property
    def tip(self) -> str:
        """Return the message about the path that was likely meant; empty if there is none."""
        if self.similar is None:
            return ""
        return f"a similar path exists: {self.similar.as_posix()}{'/' if is_folder(self.similar) else ''}"


@dataclass(frozen=True, slots=True)
class Discovered:
    """The files to lint, each once and in order, and the errors; `errors` names what cannot be read."""

    targets: tuple[Target, ...] = ()
    missing: tuple[Missing, ...] = ()
    errors: tuple[RunError, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)


def discover(
    paths: Sequence[Path],
    exclude: Sequence[str] = EXCLUDED,
    root: Path = Path(),
    *,
    respects_git: bool = True,
    extensions: Sequence[str] = (),
) -> Discovered:
    """Return the files of some paths; the patterns of `exclude`, relative to `root`, hold for folders only.

    Of these, the defaults are names of folders anywhere.

    Files with one of the `extensions` are Python, too.
    """
    suffixes = (*SUFFIXES, *(f".{extension}" for extension in extensions))
    walk = Walk(_patterns(exclude, root), frozenset(filter(is_skipped, exclude)), respects_git, suffixes)
    named = _sorted_out(paths, walk)
    # A link and its target are one file, under the first of these names.
    below = list(_below(named.folders, walk))
    walk.count_links(named.folders)
    links = {entry.path for entry in below if entry.is_symlink()}.union(filter(os.path.islink, named.files))
    names = [*named.files, *sorted((entry.path for entry in below), key=links.__contains__)]
    # In one folder without links, no file is found twice.
    each = _each_once(names, links) if links or named.files or len(named.folders) > 1 else names
    targets = (Target(Path(path), shown(path), path in named.files) for path in each)
    return Discovered(
        tuple(sorted(targets, key=lambda target: target.shown)),
        tuple(Missing(path, _similar(path)) for path in named.missing),
        tuple(walk.errors),
        walk.left_out,
    )


def is_excluded(path: Path, exclude: Sequence[str], root: Path, start: Path | None = None) -> bool:
    """Tell whether a walk from `start` would pass over a file: for its folders, or for the patterns of `exclude`.

    The patterns are relative to `root`, which is where the walk starts unless another folder is given.
    """
    whole, top = _whole(path), _whole(start or root)
    inside = whole.relative_to(top).parts[:-1] if whole.is_relative_to(top) else ()
    excluded = _patterns(exclude, root)
    said = excluded.says(whole.as_posix()) if excluded else None
    return bool(said) or (said is None and any(is_skipped(name) and name in exclude for name in inside))


def _patterns(exclude: Sequence[str], root: Path) -> Ignored | None:
    """Return the patterns that are not default names of folders."""
    own = [pattern for pattern in exclude if not is_skipped(pattern)]
    return patterns(_whole(root), own) if own else None


@dataclass(frozen=True, slots=True)
class _Named:
    """What the user named, by kind."""

    files: dict[str, None] = field(default_factory=dict[str, None])
    folders: list[Path] = field(default_factory=list[Path])
    missing: list[Path] = field(default_factory=list[Path])


def _sorted_out(paths: Sequence[Path], walk: Walk) -> _Named:
    named, mistakes = _Named(), list[str]()
    for path in dict.fromkeys(paths):
        match _mode(path):
            case None:
                named.missing.append(path)
            case OSError() as error:
                walk.unreadable(path, error)
            case mode if S_ISDIR(mode):
                named.folders.append(_whole(path))
            case mode if S_ISREG(mode) and _says_python(path, walk.suffixes):
                named.files[str(path)] = None
            case _:
                mistakes.append(f"{path.as_posix()} is not a {_wanted(path)}")
    if mistakes:
        raise UsageError(*mistakes)
    return named


def _wanted(path: Path) -> str:
    """Return the kind of path that was expected, and how to get one."""
    if path.suffix in SUFFIXES:
        return "file"
    tip = f"\n  tip: `--extension {path.suffix[1:]}:python` lints it as Python" if path.suffix[1:] else ""
    return f".py, .pyi or .ipynb file{tip}"


def _says_python(path: Path, suffixes: Sequence[str]) -> bool:
    """Tell whether a file is Python: by its suffix, or by the first line of a script without one."""
    if path.suffix:
        return path.suffix in (*suffixes, ".pyw")
    try:
        with open_regular(path) as file:
            return _SHEBANG.match(file.readline(_LONGEST_SHEBANG)) is not None
    except OSError:
        # Whether it can be read shows when it is opened to be linted.
        return True


def _mode(path: Path) -> int | OSError | None:
    """Return the kind of file at a path, None if there is none."""
    try:
        return path.stat().st_mode
    # A name that no file can have, with a NUL in it, is a ValueError.
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return error


def _below(folders: Sequence[Path], walk: Walk) -> Iterator[os.DirEntry[str]]:
    for folder in folders:
        yield from walk.files(folder)


def _each_once(paths: Sequence[str], links: Collection[str]) -> Collection[str]:
    """Return the first of the paths to each file; `links` are those that lead elsewhere."""
    real_folder = cache(os.path.realpath)

    def real(path: str) -> tuple[str, str]:
        folder, name = os.path.split(os.path.realpath(path) if path in links else path)
        return real_folder(folder), name

    return {real(path): path for path in reversed(paths)}.values()


def _whole(path: Path) -> Path:
    """Return an absolute path; what `..` means after a link only the file system can tell."""
    return path.resolve() if ".." in path.parts else path.absolute()


def _similar(path: Path) -> Path | None:
    """Return a path that exists and of which the other is a misspelling."""
    from difflib import get_close_matches

    similar = Path(path.anchor)
    for part in path.relative_to(path.anchor).parts:
        if not os.path.lexists(similar / part):
            near = get_close_matches(part, _names(similar), n=1)
            part = near[0] if near else part
        similar /= part
    return similar if similar != path and is_present(similar) else None


def _names(folder: Path) -> list[str]:
    """Return the names in a folder that can be linted, none if it cannot be read: this is only a suggestion."""
    try:
        with os.scandir(folder) as entries:
            # A cycle of links makes `entry.is_dir` raise.
            return [entry.name for entry in entries if entry.name.endswith(SUFFIXES) or is_folder(entry.path)]
    except OSError:
        return []
