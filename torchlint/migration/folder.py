"""The settings of flake8 and ruff in a folder, taken over into ours."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.config import config_in
from torchlint.config.toml import read_bytes, read_text, toml_document
from torchlint.errors import UsageError
from torchlint.files.display_path import shown
from torchlint.files.existence import is_folder, is_present
from torchlint.fixing import FixedFile
from torchlint.migration.flake8 import FLAKE8_FILES, Wanted, without_codes
from torchlint.migration.settings import CannotBeMergedError, with_settings, without_external

_PYPROJECT, _OWN = "pyproject.toml", "torchlint.toml"
_RUFF = (_PYPROJECT, "ruff.toml", ".ruff.toml")
_BOM = b"\xef\xbb\xbf"
_TORCHFIX = b"TOR"
_TABLE = ("tool", "torchlint")
_LINK = "it is a link that leads out of the project"


@dataclass(slots=True)
class FolderMigration:
    """The files of a folder that change, and what cannot be done, by file; `left` are codes without a counterpart."""

    changes: list[FixedFile] = field(default_factory=list[FixedFile])
    refused: list[tuple[str, str]] = field(default_factory=list["tuple[str, str]"])
    left: set[str] = field(default_factory=set[str])


def leads_out(path: Path, root: Path) -> bool:
    """Tell whether a path is a link to what is outside of a folder."""
    real = os.path.realpath
    return path.is_symlink() and not Path(real(path)).is_relative_to(real(root))


def migrated_settings(folder: Path, left: set[str]) -> FolderMigration:
    """Return the migration of a folder's settings; `left` are the codes that its comments still have.

    Raises `UsageError` for a file that cannot be read, or is not valid.
    """
    done = FolderMigration()
    before = dict(_mentioning(folder, done))
    after = before | _of_flake8(folder, before, done)
    for path in (folder / name for name in _RUFF):
        if path in after:
            after[path] = without_external(after[path], left)
    done.changes = [_change(path, text) for path, text in after.items() if text != before.get(path)]
    return done


def _mentioning(folder: Path, done: FolderMigration) -> Iterator[tuple[Path, str]]:
    """Yield the files of settings that name TorchFix, and their texts."""
    for path in (folder / name for name in (*FLAKE8_FILES, *_RUFF)):
        if is_present(path) and not is_folder(path) and _TORCHFIX in read_bytes(path):
            if leads_out(path, folder):
                done.refused.append((shown(path), _LINK))
            else:
                yield path, _text(path)


def _text(path: Path) -> str:
    """Return the text of a file of settings; raises `UsageError` for TOML that is not valid."""
    text = read_text(path)
    if path.suffix == ".toml":
        toml_document(shown(path), text)
    return text


def _of_flake8(folder: Path, before: Mapping[Path, str], done: FolderMigration) -> dict[Path, str]:
    """Return the files of flake8 without what has a counterpart, and the file that has it now: all, or none."""
    wanted = Wanted()
    theirs = {path: text for path, text in before.items() if path.name in FLAKE8_FILES}
    after = {path: without_codes(shown(path), text, wanted) for path, text in theirs.items()}
    done.left |= wanted.left
    if not wanted.is_empty:
        target = config_in(folder) or folder / (_PYPROJECT if is_present(folder / _PYPROJECT) else _OWN)
        if leads_out(target, folder):
            done.refused.append((shown(target), _LINK))
            return {}
        text = before.get(target) or (_text(target) if is_present(target) else "")
        try:
            after[target] = with_settings(text, _TABLE if target.name == _PYPROJECT else (), wanted)
        except CannotBeMergedError as error:
            done.refused.append((shown(target), f"nothing can be added to it: write {error}"))
            return {}
    return after


def _change(path: Path, text: str) -> FixedFile:
    """Return the change of a file, with the newlines and the mark at its beginning that it has."""
    before = read_bytes(path) if is_present(path) else b""
    newlines = before.count(b"\n")
    if before.count(b"\r\n") not in {0, newlines}:
        raise UsageError(f"{shown(path)} has two kinds of newlines: save it with one")
    data = text.replace("\n", "\r\n" if b"\r\n" in before else "\n").encode()
    return FixedFile(path, shown(path), before, (_BOM if before.startswith(_BOM) else b"") + data)
