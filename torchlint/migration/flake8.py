"""The codes of TorchFix in the settings of flake8: what they stand for here, and the file without them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from configparser import (
    DuplicateOptionError,
    DuplicateSectionError,
    Error,
    MissingSectionHeaderError,
    ParsingError,
    RawConfigParser,
)
from dataclasses import dataclass, field

from torchlint.errors import UsageError
from torchlint.migration.codes import CODES, Code
from torchlint.registry import builtin_rules

FLAKE8_FILES = (".flake8", "setup.cfg", "tox.ini")
_SECTION = re.compile(r"\[([^\]]+)\]")
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*[=:]")
_INDENTED = re.compile(r"[ \t]+[^\s#;]")
_ITEM = re.compile(r"[^\s,]+")
_PART = re.compile(r"[^\s,:]+|:")
_CODE = re.compile(r"[A-Z]+[0-9]*")
_OURS = re.compile(r"TOR[0-9]*")
_SELECTS = frozenset({"select", "extend-select"})
_IGNORES = frozenset({"ignore", "extend-ignore"})
_PER_FILE = "per-file-ignores"


@dataclass(slots=True)
class Wanted:
    """Settings of ours; `left` are codes that have no counterpart there."""

    extend_select: list[str] = field(default_factory=list[str])
    ignore: list[str] = field(default_factory=list[str])
    per_file_ignores: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    left: set[str] = field(default_factory=set[str])

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to set."""
        return not (self.extend_select or self.ignore or self.per_file_ignores)


def without_codes(shown: str, text: str, wanted: Wanted) -> str:
    """Return a file of settings without the codes that have a counterpart, and note that one.

    Raises `UsageError` for a text that flake8 cannot read.
    """
    _check(shown, text)
    for start, end, name in reversed(list(_settings(text))):
        spans = list(_taken_out(name, text[start:end], wanted))
        text = text[:start] + _without(text[start:end], spans) + text[end:]
    return text


def _check(shown: str, text: str) -> None:
    try:
        RawConfigParser().read_string(text)
    except (MissingSectionHeaderError, DuplicateOptionError, DuplicateSectionError) as error:
        raise UsageError(f"{shown} is not valid: see line {error.lineno}") from None
    except ParsingError as error:
        raise UsageError(f"{shown} is not valid: see line {error.errors[0][0]}") from None
    except Error as error:
        raise UsageError(f"{shown} is not valid: {' '.join(str(error).split())}") from None


def _settings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the settings of flake8's section: where each begins and ends, and its name."""
    section, found, at = "", list[tuple[int, int, str]](), 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if header := _SECTION.match(line):
            section = header[1]
        elif section == "flake8" and (key := _KEY.match(line)):
            found.append((start, at, key[1].lower().replace("_", "-")))
        elif section == "flake8" and found and _INDENTED.match(line):
            found[-1] = found[-1][0], at, found[-1][2]
    return iter(found)


def _taken_out(name: str, setting: str, wanted: Wanted) -> Iterator[range]:
    """Yield the spans of a setting that have a counterpart, and note that."""
    if name in _SELECTS:
        yield from _selected(setting, wanted)
    elif name in _IGNORES:
        yield from _ignored(_items(setting), wanted.ignore, wanted)
    elif name == _PER_FILE:
        for files, codes in _per_file(setting):
            rules: list[str] = []
            spans = list(_ignored(codes, rules, wanted))
            for file in files if rules else ():
                _add(wanted.per_file_ignores.setdefault(_pattern(file[1]), []), rules)
            # Files without codes would be a mistake.
            yield from [range(files[0][0].start, codes[-1][0].stop)] if len(spans) == len(codes) else spans


_Items = Sequence["tuple[range, str]"]


def _items(setting: str) -> _Items:
    value = _value(setting)
    return [(range(*item.span()), item[0]) for item in _ITEM.finditer(setting, value) if not _in_comment(setting, item)]


def _value(setting: str) -> int:
    """Return where the value of a setting begins."""
    key = _KEY.match(setting)
    return key.end() if key else 0


def _in_comment(setting: str, item: re.Match[str]) -> bool:
    line = setting[setting.rfind("\n", 0, item.start()) + 1 : item.end()].lstrip()
    return line.startswith(("#", ";"))


def _codes(word: str) -> list[Code]:
    """Return the codes that a word stands for: flake8 compares beginnings."""
    return [code for code in CODES.values() if _OURS.fullmatch(word) and code.name.startswith(word)]


def _selected(setting: str, wanted: Wanted) -> Iterator[range]:
    """Yield what selects rules of ours; those that are on by default need no setting."""
    rules = builtin_rules()
    for span, word in _items(setting):
        codes = _codes(word)
        wanted.left.update(code.name for code in codes if not code.every_rule)
        if names := [name for code in codes for name in code.every_rule]:
            _add(wanted.extend_select, [name for name in names if not rules[name].default])
            yield span


def _ignored(items: _Items, names: list[str], wanted: Wanted) -> Iterator[range]:
    """Yield what ignores the whole of a rule, and add the rules to some names."""
    ignored = {name for _, word in items for code in _codes(word) for name in code.rules}
    _add(names, sorted(ignored))
    for span, word in items:
        codes = _codes(word)
        if any(ignored.intersection(code.every_rule) for code in codes):
            yield span
        else:
            wanted.left.update(code.name for code in codes)


def _per_file(setting: str) -> Iterator[tuple[_Items, _Items]]:
    """Yield lists of files, each with its list of codes."""
    parts = [(range(*part.span()), part[0]) for part in _PART.finditer(setting, _value(setting))]
    files: list[tuple[range, str]] = []
    codes: list[tuple[range, str]] = []
    is_after_colon = False
    for part in parts:
        if part[1] == ":":
            is_after_colon = True
        elif is_after_colon and _CODE.fullmatch(part[1]):
            codes.append(part)
        else:
            if files and codes:
                yield files, codes
                files, codes = [], []
            is_after_colon = False
            files.append(part)
    if files and codes:
        yield files, codes


def _pattern(file: str) -> str:
    """Return a pattern as in .gitignore for one of flake8's, in which a star stands for slashes, too."""
    folder, slash, name = file.removeprefix("./").rpartition("/")
    if not slash or not name.startswith("*"):
        return folder + slash + name
    return f"{folder}/**" if name == "*" else f"{folder}/**/{name}"


def _add(names: list[str], more: Sequence[str]) -> None:
    names += [name for name in dict.fromkeys(more) if name not in names]


def _without(setting: str, spans: Sequence[range]) -> str:
    """Return a setting without some items, and without the lines and commas that are left of them."""
    if not spans:
        return setting
    for span in reversed(spans):
        before, after = setting[: span.start], setting[span.stop :]
        kept = before.rstrip(" \t,")
        is_first = kept == "" or kept[-1] in "=:\n"
        setting = before + after.lstrip(" \t,") if is_first else kept + after
    head, *lines = setting.splitlines(keepends=True)
    setting = head.rstrip(" \t") + "".join(line for line in lines if line.strip())
    return setting if _items(setting) else ""
