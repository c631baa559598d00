"""Third-party rule packs that are installed with torchlint.

A pack is code, and code of the linted project is never run: packs come from where packages are installed, and from
folders that the user put on `PYTHONPATH`, but not from the working directory, even if Python searches it.
"""

from __future__ import annotations

import importlib.util
import os
import site
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import torchlint
from torchlint.errors import UsageError, one_line_of

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "torchlint.rules"
_METADATA = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class Pack:
    """A rule pack: the package of its rules, and its distribution."""

    name: str
    package: str
    distribution: str

    @property
    def home(self) -> str:
        """Return the package in whose folder `fixtures/` and `evidence/` are."""
        return home_of(self.package)

    def __str__(self) -> str:
        return f"rule pack `{self.name}` ({self.distribution})"


def home_of(package: str) -> str:
    """Return the package around a package of rules; itself if there is none."""
    return package.rpartition(".")[0] or package


@cache
def installed_packs() -> tuple[Pack, ...]:
    """Return the packs that are installed, by name; nothing of theirs is imported."""
    folders = [folder for folder in dict.fromkeys(_folders()) if _declares_a_pack(folder)]
    if not folders:
        # To import what reads metadata takes longer than to lint a clean file.
        return ()
    from importlib.metadata import distributions

    found = (pack for distribution in distributions(path=folders) for pack in _packs_of(distribution))
    return tuple(sorted({(pack.name, pack.package): pack for pack in found}.values(), key=lambda pack: pack.name))


def homes() -> Iterator[Path]:
    """Yield the folders of `fixtures/` and `evidence/`: torchlint's own first, then one of each pack."""
    # In a checkout the fixtures are beside the package, in a wheel inside it: its path leads to both.
    yield from map(Path, torchlint.__path__)
    for pack in installed_packs():
        yield from map(Path, getattr(loaded(pack.home, pack), "__path__", ()))


def sources() -> Iterator[Path]:
    """Yield the Python files of all packs, to detect changes; nothing of theirs is imported."""
    for pack in installed_packs():
        found = importlib.util.find_spec(pack.package.partition(".")[0])
        for folder in (found.submodule_search_locations or ()) if found is not None else ():
            yield from sorted(Path(folder).rglob("*.py"))


def loaded(name: str, pack: Pack) -> ModuleType:
    """Import a module of a pack; raises `UsageError` if that fails, for any reason."""
    try:
        return importlib.import_module(name)
    # A pack is untrusted code, which may even call `exit`.
    except (Exception, SystemExit) as error:
        ours = {__file__, importlib.__file__, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"}
        raise UsageError(f"{pack} cannot be loaded ({one_line_of(error, ours)}): fix or uninstall it") from error


def _folders() -> Iterator[str]:
    """Yield where packages are installed, of the folders that Python searches."""
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if Path(path).is_absolute()]
    here = os.path.realpath(os.curdir)
    for folder in (*site.getsitepackages(), site.getusersitepackages(), *named):
        if folder in sys.path and os.path.realpath(folder) != here:
            yield folder


def _declares_a_pack(folder: str) -> bool:
    try:
        entries = os.listdir(folder)  # noqa: PTH208 -- hundreds of names at every start
    except OSError:
        return False
    return any(_says_pack(f"{folder}/{entry}/entry_points.txt") for entry in entries if entry.endswith(_METADATA))


def _says_pack(file: str) -> bool:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 -- as above
            return GROUP.encode() in opened.read()
    except OSError:
        return False


def _packs_of(distribution: Distribution) -> Iterable[Pack]:
    name = f"{distribution.metadata['Name']} {distribution.version}"
    for entry in distribution.entry_points:
        if entry.group == GROUP:
            yield Pack(entry.name, entry.value, name)
