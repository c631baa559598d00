"""Which files are linted with which rules, and the project of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.cli.configs import Configs
from torchlint.config import Config, inferred_companions, inferred_target, nested_requirements
from torchlint.engine import Job, project_root, root_of_folder
from torchlint.errors import RunError
from torchlint.files.discovery import Discovered, Missing, Target, discover, is_excluded
from torchlint.files.display_path import shown
from torchlint.files.existence import is_folder
from torchlint.files.folders import SUFFIXES
from torchlint.files.gitignore import patterns
from torchlint.files.leftout import EXCLUDE, INCLUDE, LeftOut
from torchlint.pytorch.requirements import Requirements


@dataclass(frozen=True, slots=True)
class Plan:
    """What to lint, the errors, and what is left out.

    `suffixes` are those of the files that were searched.
    """

    jobs: tuple[Job, ...] = ()
    missing: tuple[Missing, ...] = ()
    errors: tuple[RunError, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    suffixes: tuple[str, ...] = SUFFIXES

    @property
    def files(self) -> int:
        """Return how many files there are to lint."""
        return sum(len(job.targets) for job in self.jobs)

    @property
    def looked_at(self) -> str:
        """Return what was searched, and what was passed over."""
        left_out = f"; {words}" if (words := self.left_out.words) else ""
        return f"checked {', '.join(self.suffixes)}{left_out}"


def planned(paths: Sequence[Path], configs: Configs) -> Plan:
    """Return the plan for files and folders; unless forced, what is excluded is linted if it is named."""
    here = Path.cwd()
    walks = [(config, _walked(group, config)) for config, group in _by_config(paths, configs)]
    left_out, found = LeftOut(), dict[str, Target]()
    for config, walk in walks:
        left_out.add(walk.left_out)
        for target in walk.targets:
            if why := _left_out(target, config, configs):
                left_out.files[why] += 1
            else:
                found[os.path.join(here, target.path)] = target  # noqa: PTH118 -- thousands of files
    targets = sorted(found.values(), key=lambda target: target.shown)
    return Plan(
        tuple(_jobs(targets, [path for path in paths if is_folder(path)], configs)),
        tuple(missing for _, walk in walks for missing in walk.missing),
        tuple(error for _, walk in walks for error in walk.errors),
        left_out,
        (*SUFFIXES, *sorted({f".{name}" for config, _ in walks for name in config.extensions})),
    )


def planned_text(name: str | None, configs: Configs) -> tuple[Job, Target] | None:
    """Return the plan for the text of stdin; None if a file of its name is not linted."""
    path = Path(name) if name else Path.cwd() / "stdin.py"
    config = configs.of(path.absolute().parent)
    if config.force_exclude and _is_excluded(path, config):
        return None
    target = Target(path, shown(path) if name else "-", named=True)
    return _job(project_root(path), config, (target,), configs), target


def _by_config(paths: Iterable[Path], configs: Configs) -> Iterator[tuple[Config, list[Path]]]:
    """Yield the paths in groups with the same configuration."""
    groups: dict[Path | None, tuple[Config, list[Path]]] = {}
    for path in paths:
        config = configs.of(path.absolute() if is_folder(path) else path.absolute().parent)
        groups.setdefault(config.file, (config, []))[1].append(path)
    yield from groups.values()


def _walked(paths: Sequence[Path], config: Config) -> Discovered:
    return discover(
        paths,
        config.exclude,
        config.patterns_from,
        respects_git=config.respect_gitignore,
        extensions=config.extensions,
    )


def _is_excluded(path: Path, config: Config) -> bool:
    return is_excluded(path, config.exclude, config.patterns_from, config.root)


def _is_included(path: Path, config: Config) -> bool:
    return bool(patterns(config.patterns_from.absolute(), config.include).says(path.absolute().as_posix()))


def _left_out(target: Target, walked_by: Config, configs: Configs) -> str:
    """Return the setting of the configuration nearest to a file, unknown to the walk, that leaves it out."""
    own = configs.around(target.path)
    if own.include and not target.named and not _is_included(target.path, own):
        return INCLUDE
    is_asked = own is not walked_by or own.force_exclude
    return EXCLUDE if is_asked and _is_excluded(target.path, own) else ""


def _jobs(targets: Iterable[Target], folders: Sequence[Path], configs: Configs) -> Iterator[Job]:
    """Yield a job for the files of each project that share a configuration; `folders` are those that were named."""
    jobs: dict[tuple[Path, Path | None], tuple[Config, list[Target]]] = {}
    of_folder: dict[str, tuple[Path, Config]] = {}
    named = [str(folder.absolute()) for folder in folders]
    for target in targets:
        folder = os.path.dirname(target.path)  # noqa: PTH120 -- thousands of files
        if folder not in of_folder:
            whole = os.path.dirname(target.path.absolute())  # noqa: PTH120 -- as above
            of_folder[folder] = (root_of_folder(whole, named), configs.around(target.path))
        root, config = of_folder[folder]
        jobs.setdefault((root, config.file), (config, []))[1].append(target)
    for (root, _), (config, group) in jobs.items():
        yield _job(root, config, tuple(group), configs)


def _nested(root: Path, config: Config, targets: Iterable[Target]) -> tuple[Requirements, ...]:
    """Return what folders of a project require; a version of torch in its configuration holds for all of them."""
    folders = {os.path.dirname(target.path.absolute()) for target in targets}  # noqa: PTH120 -- thousands of files
    found = nested_requirements(root, folders)
    return tuple(one._replace(oldest_torch=None) for one in found) if config.target_torch else found


def _job(root: Path, config: Config, targets: tuple[Target, ...], configs: Configs) -> Job:
    return Job(
        root=root,
        targets=targets,
        rules=configs.rules(config),
        per_file_ignores=config.per_file_ignores,
        target_torch=config.target_torch or inferred_target(root),
        companions=inferred_companions(root),
        nested=_nested(root, config, targets),
        config_root=config.patterns_from,
        silent=configs.silent(config),
        named=frozenset(target.path for target in targets if target.named),
        traceback=configs.traceback,
        respects_comments=configs.respects_comments,
    )
