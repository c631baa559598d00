"""Which configuration applies to a file, and which rules it selects: the nearest one up, unless one is given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from torchlint.cli.options import LintOptions, names_in
from torchlint.config import LANGUAGES, Config, Layer, config_in, extension_mistake, load_config, merged
from torchlint.errors import UsageError
from torchlint.files.existence import is_file, is_folder
from torchlint.finding import Confidence, Severity
from torchlint.notices import NOTICES
from torchlint.rule import Rule
from torchlint.selection import ALL, Choice, check_names, present_names
from torchlint.terminal.streams import tell

_CONFIG = "TORCHLINT_CONFIG"


class Configs:
    """The configurations of a run, each found, loaded and made into rules once."""

    def __init__(self, options: LintOptions, *, passes_over_broken: bool = False) -> None:
        self._passes_over_broken = passes_over_broken
        self._options = options = _named(options)
        self._told: set[str] = set()
        self.traceback = options.traceback
        self.respects_comments = not options.wishes.no_ignores
        self._nearer = _asked(options)
        given = _config_file(options)
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


def _asked(options: LintOptions) -> tuple[Layer, ...]:
    """Return the settings of `--config KEY=VALUE`, and then those of options of their own."""
    here, wishes = Path.cwd(), options.wishes
    lines = [_line(word, here) for word in options.config if _is_setting(word)]
    own = Layer(
        here,
        preset=wishes.preset,
        preview=wishes.preview,
        extend_select=_names(wishes.extend_select, "--extend-select", options),
        extension=dict(map(_extension, wishes.extension)),
        extend_exclude=_patterns(wishes.exclude),
        force_exclude=options.force_exclude or None,
        respect_gitignore=wishes.respect_gitignore,
        min_confidence=Confidence(wishes.min_confidence) if wishes.min_confidence else None,
        fail_on=Severity(wishes.fail_on) if wishes.fail_on else None,
        baseline=here / wishes.baseline if wishes.baseline else None,
        output_format=options.output_format,
        group=wishes.group,
        unsafe_fixes=options.unsafe_fixes or None,
        fixable=_names(wishes.fixable, "--fixable", options) or None,
        unfixable=_names(wishes.unfixable, "--unfixable", options) or None,
    )
    return (*lines, own)


def _config_file(options: LintOptions) -> Path | None:
    """Return the file that replaces the project's configuration files, None if none is given."""
    files = [word for word in options.config if not _is_setting(word)]
    if len(files) > 1:
        raise UsageError(f"--config names {len(files)} files: give one, and let it extend the other")
    if files and options.isolated:
        raise UsageError("--config names a file, and --isolated reads none: give one of them")
    word = files[0] if files else os.environ.get(_CONFIG, "")
    if not word or options.isolated:
        return None
    if not is_file(word):
        raise UsageError(f"path does not exist: {word}{'' if files else f' (from {_CONFIG})'}")
    return Path(word)


def _line(word: str, here: Path) -> Layer:
    from torchlint.config.reading import inline_layer

    return inline_layer(word, here)


def _is_setting(word: str) -> bool:
    """Tell whether a word is `KEY = VALUE`; a file whose name looks like that is one all the same."""
    return "=" in word and not is_file(word)


def _named(options: LintOptions) -> LintOptions:
    """Return the options with the current names of the rules that they select and ignore."""
    if options.select == ():
        raise UsageError("--select names no rule; leave it out to run the default ones")
    if not options.select and not options.ignore:
        return options
    note = partial(_note, options)
    select = options.select and present_names(options.select, "--select", note)
    return replace(options, select=select, ignore=present_names(options.ignore, "--ignore", note))


def _names(words: tuple[str, ...], where: str, options: LintOptions) -> tuple[str, ...]:
    names = present_names(names_in(words), where, partial(_note, options))
    check_names(names, where)
    return names


def _note(options: LintOptions, words: str) -> None:
    if not options.quiet:
        tell(f"note: {words}")


def _extension(word: str) -> tuple[str, str]:
    """Return an extension, without its dot, and its language."""
    extension, _, language = word.rpartition(":")
    extension = extension.removeprefix(".")
    if language not in LANGUAGES or not extension:
        raise UsageError(f"--extension is EXT:python, such as `txt:python`, and not `{word}`")
    if mistake := extension_mistake(extension):
        raise UsageError(f"--extension: {mistake}")
    return extension, language


def _patterns(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        return ()
    from torchlint.files.gitignore import is_pattern

    if wrong := [word for word in words if not is_pattern(word)]:
        raise UsageError(*(f"`{word}` in --exclude is not a pattern as in .gitignore" for word in wrong))
    return words
