"""Where the cache of a run is, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchlint.cache import FOLDER, Folder
from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN
from torchlint.cli.options import LintOptions
from torchlint.cli.streams import tell
from torchlint.engine import Job


def cache_of(job: Job, options: LintOptions) -> Folder:
    """Return where the reports of a job are kept: beside its configuration, unless told otherwise."""
    return Folder(options.cache_dir or (job.config_root or job.root) / FOLDER)


def clean(paths: Sequence[str], cache_dir: Path | None) -> int:
    """Remove the caches of some folders; raises `UsageError` for a folder that is something else."""
    configs = Configs(LintOptions())
    found = (configs.of(Path(path).absolute()) for path in paths)
    folders = dict.fromkeys(config.cache_dir or config.root / FOLDER for config in found)
    for folder in [cache_dir] if cache_dir is not None else folders:
        if Folder(folder).clean():
            tell(f"removed {folder}")
    return CLEAN
