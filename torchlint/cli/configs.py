"""Which configuration applies to a file, and which rules it selects: the nearest one up, unless one is given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from torchlint.cli.cli_layer import asked, config_file, named
from torchlint.cli.options import LintOptions
from torchlint.config import Config, config_in, load_config, merged
from torchlint.errors import UsageError
from torchlint.files.existence import is_folder
from torchlint.notices import NOTICES
from torchlint.rule import Rule
from torchlint.selection import ALL, Choice
from torchlint.terminal.streams import tell


class Configs:
    """The configurations of a run, each found, loaded and made into rules once."""

    def __init__(self, options: LintOptions, *, passes_over_broken: bool = False) -> None:
        self._passes_over_broken = passes_over_broken
        self._options = options = named(options)
        self._told: set[str] = set()
        self.traceback = options.traceback
        self.respects_comments = not options.wishes.no_ignores
        self._nearer = asked(options)
        given = config_file(options)
        self._default = load_config(given, self._nearer) if given else merged(self._nearer, Path.cwd())
        self._tell_notes(self._default)
        self._looks_around = given is None and not options.isolated
        self._of_folder: dict[Path, Config] = {}
        self._of_file: dict[Path, Config] = {}
        self._rules: dict[Path | None, Sequence[Rule]] = {}
        self._around: dict[str, Config] = {}

    def of(self, folder: Path) -> Config:
        """Return the configuration of the files of a folder."""
        if not self._looks_around:
            return self._default
        if folder not in self._of_folder:
            self._of_folder[folder] = self._nearest(folder)
        return self._of_folder[folder]

    def of_run(self, paths: Sequence[Path]) -> Config:
        """Return the configuration of a run: that of all its paths, or else of the working directory."""
        around = {path.absolute() if is_folder(path) else path.absolute().parent for path in paths}
        found = {config.file: config for config in map(self.of, around)}
        return next(iter(found.values())) if len(found) == 1 else self.of(Path.cwd())

    def around(self, file: Path) -> Config:
        """Return the configuration of a file."""
        if not self._looks_around:
            return self._default
        folder = os.path.dirname(file)  # noqa: PTH120 -- thousands of files
        if folder not in self._around:
            self._around[folder] = self.of(Path(folder).absolute())
        return self._around[folder]

    def refuse_unknown(self) -> None:
        """Raise for a misspelt name, even if no file needs it."""
        len(self.rules(self._default))

    def rules(self, config: Config) -> Sequence[Rule]:
        """Return the rules that run under a configuration; they are chosen at their first use."""
        if config.file not in self._rules:
            select, extend = config.selected, config.extend_select
            if self._options.select is not None:
                select, extend = self._options.select, self._nearer[-1].extend_select
            ignored = self._ignored(config)
            self._rules[config.file] = Choice(select, ignored, config.rule_options, extend, preview=config.preview)
        return self._rules[config.file]

    def silent(self, config: Config) -> frozenset[str]:
        """Return the names of the engine's own findings that a configuration ignores."""
        return frozenset({*NOTICES, *NOTICES.values(), ALL}.intersection(self._ignored(config)))

    def _ignored(self, config: Config) -> tuple[str, ...]:
        """Return the names to ignore: what the command line selects is not ignored by a file."""
        given = self._options.ignore
        return (*config.ignore, *given) if self._options.select is None else given

    def _nearest(self, folder: Path) -> Config:
        if (file := config_in(folder)) is not None:
            try:
                return self._loaded(file)
            except UsageError as error:
                if not self._passes_over_broken:
                    raise
                tell(f"note: {error.lines[0].splitlines()[0]}; its folder has the settings of the one above")
        return self._default if folder == folder.parent else self.of(folder.parent)

    def _loaded(self, file: Path) -> Config:
        if file not in self._of_file:
            self._of_file[file] = load_config(file, self._nearer)
            self._tell_notes(self._of_file[file])
        return self._of_file[file]

    def _tell_notes(self, config: Config) -> None:
        for note in config.notes:
            if note not in self._told and not self._options.quiet:
                self._told.add(note)
                tell(f"note: {note}")
