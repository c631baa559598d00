"""Where the cache of a run is, and how to remove it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from torchlint.cache import FOLDER, Folder
from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN
from torchlint.cli.options import LintOptions
from torchlint.engine import Job
from torchlint.errors import UsageError
from torchlint.files.display_path import shown
from torchlint.terminal.streams import tell
from torchlint.terminal.text import printable


def cache_of(job: Job, options: LintOptions) -> Folder:
    """Return where the reports of a job are kept: beside its configuration, unless an option says otherwise."""
    root = job.config_root or job.root
    folder = Folder(options.cache_dir or root / FOLDER, root)
    if folder.is_elsewhere:
        _tell_of_link(folder.path)
    return folder


@cache
def _tell_of_link(path: Path) -> None:
    tell(f"warning: {shown(path)} is a symbolic link: nothing is kept there; --cache-dir names a folder elsewhere")


def clean(paths: Sequence[str], cache_dir: Path | None) -> int:
    """Remove the caches of some folders; raises `UsageError` for a folder that is not there or is something else."""
    if missing := [path for path in paths if not Path(path).exists()]:
        raise UsageError(f"path does not exist: {printable(missing[0])}")
    configs = Configs(LintOptions())
    if cache_dir is not None:
        folders = [Folder(cache_dir.resolve())]
    else:
        found = (configs.of(Path(path).absolute()) for path in paths)
        roots = {config.cache_dir or config.root / FOLDER: config.root for config in found}
        folders = [Folder(folder, root) for folder, root in roots.items()]
    for folder in folders:
        if folder.clean():
            tell(f"removed {folder.path}")
    return CLEAN
