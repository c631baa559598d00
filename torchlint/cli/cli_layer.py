"""The command line's settings, as a layer that overrides all files."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from torchlint.cli.options import LintOptions, names_in
from torchlint.config import LANGUAGES, Layer, extension_mistake
from torchlint.errors import UsageError
from torchlint.files.existence import is_file
from torchlint.finding import Confidence, Severity
from torchlint.selection import check_names, present_names
from torchlint.terminal.streams import tell

_CONFIG = "TORCHLINT_CONFIG"


def asked(options: LintOptions) -> tuple[Layer, ...]:
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


def config_file(options: LintOptions) -> Path | None:
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


def named(options: LintOptions) -> LintOptions:
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
