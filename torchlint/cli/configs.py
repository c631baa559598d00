"""Which configuration holds for a file, and which rules it brings: the nearest one up, unless one is given."""

from __future__ import annotations

from pathlib import Path

from torchlint.cli.options import LintOptions
from torchlint.config import Config, default_config, find_config, load_config
from torchlint.errors import UsageError
from torchlint.rule import Rule
from torchlint.selection import chosen_rules


class Configs:
    """The configurations of a run, each found, loaded and made into rules once."""

    def __init__(self, options: LintOptions) -> None:
        if options.config and options.isolated:
            raise UsageError("--config names a file, and --isolated reads none: give one of them")
        self._options = options
        self._default = self._given() or default_config(Path.cwd())
        self._looks_around = options.config is None and not options.isolated
        self._of_folder: dict[Path, Config] = {}
        self._of_file: dict[Path, Config] = {}
        self._rules: dict[Path | None, tuple[Rule, ...]] = {}

    def of(self, folder: Path) -> Config:
        """Return what holds for the files of a folder."""
        if not self._looks_around:
            return self._default
        if folder not in self._of_folder:
            file = find_config(folder)
            self._of_folder[folder] = self._loaded(file) if file else self._default
        return self._of_folder[folder]

    def rules(self, config: Config) -> tuple[Rule, ...]:
        """Return the rules that run under a configuration; what the command line selects goes before it."""
        if config.file not in self._rules:
            options = self._options
            selects = options.select is not None
            self._rules[config.file] = chosen_rules(
                options.select if selects else config.select,
                options.ignore if selects else (*config.ignore, *options.ignore),
                config.rule_options,
            )
        return self._rules[config.file]

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
