"""Which configuration holds for a file, and which rules it brings: the nearest one up, unless one is given."""

from __future__ import annotations

from pathlib import Path

from torchlint.cli.options import LintOptions
from torchlint.config import Config, config_in, default_config, load_config
from torchlint.errors import UsageError
from torchlint.notices import NOTICES
from torchlint.rule import Rule
from torchlint.selection import ALL, chosen_rules


class Configs:
    """The configurations of a run, each found, loaded and made into rules once."""

    def __init__(self, options: LintOptions) -> None:
        if options.config and options.isolated:
            raise UsageError("--config names a file, and --isolated reads none: give one of them")
        self._options = options
        self.traceback = options.traceback
        self._default = self._given() or default_config(Path.cwd())
        self._looks_around = options.config is None and not options.isolated
        self._of_folder: dict[Path, Config] = {}
        self._of_file: dict[Path, Config] = {}
        self._rules: dict[Path | None, tuple[Rule, ...]] = {}
        # A misspelt name is told even where no file needs it.
        self.rules(self._default)

    def of(self, folder: Path) -> Config:
        """Return what holds for the files of a folder."""
        if not self._looks_around:
            return self._default
        if folder not in self._of_folder:
            self._of_folder[folder] = self._nearest(folder)
        return self._of_folder[folder]

    def rules(self, config: Config) -> tuple[Rule, ...]:
        """Return the rules that run under a configuration."""
        if config.file not in self._rules:
            select = config.select if self._options.select is None else self._options.select
            self._rules[config.file] = chosen_rules(select, self._ignored(config), config.rule_options)
        return self._rules[config.file]

    def silent(self, config: Config) -> frozenset[str]:
        """Return the names by which what the engine reports by itself is ignored under a configuration."""
        return frozenset({*NOTICES, *NOTICES.values(), ALL}.intersection(self._ignored(config)))

    def _ignored(self, config: Config) -> tuple[str, ...]:
        """Return the names to ignore: what the command line selects is wanted whatever a file ignores."""
        given = self._options.ignore
        return (*config.ignore, *given) if self._options.select is None else given

    def _nearest(self, folder: Path) -> Config:
        if (file := config_in(folder)) is not None:
            return self._loaded(file)
        return self._default if folder == folder.parent else self.of(folder.parent)

    def _given(self) -> Config | None:
        if self._options.config is None:
            return None
        if not self._options.config.is_file():
            raise UsageError(f"path does not exist: {self._options.config}")
        return load_config(self._options.config)

    def _loaded(self, file: Path) -> Config:
        if file not in self._of_file:
            self._of_file[file] = load_config(file)
        return self._of_file[file]
