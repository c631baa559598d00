"""The keys of a configuration, and what each of them takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from torchlint.config.entry import Entry
from torchlint.config.options import decode_options
from torchlint.config.settings import Config
from torchlint.rule import OptionValue
from torchlint.selection import known_names, unknown_name

T = TypeVar("T")

FIELDS = ("select", "ignore", "exclude", "per-file-ignores", "target-torch", "rules")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.\d+)?")


def decode(table: Entry, file: Path) -> Config:
    """Return the settings that a table holds; each of its mistakes is noted, and its value left out."""
    fields = dict(table.fields(FIELDS))

    def field(name: str, decoder: Callable[[Entry], T], default: T) -> T:
        return decoder(fields[name]) if name in fields else default

    return Config(
        root=file.absolute().parent,
        file=file,
        select=field("select", _names, None),
        ignore=field("ignore", _names, ()),
        exclude=field("exclude", _patterns, ()),
        per_file_ignores=field("per-file-ignores", _names_by_pattern, ()),
        target_torch=field("target-torch", _version, None),
        rule_options=field("rules", _options_by_rule, {}),
    )


def _names(entry: Entry) -> tuple[str, ...]:
    return tuple(name for item, name in entry.strings() if _is_known(item, name))


def _is_known(entry: Entry, name: str) -> bool:
    known = _known_names()
    if name not in known:
        entry.refuse(unknown_name(name, known))
    return name in known


def _patterns(entry: Entry) -> tuple[str, ...]:
    return tuple(pattern for item, pattern in entry.strings() if _is_pattern(item, pattern))


def _is_pattern(entry: Entry, pattern: str) -> bool:
    from torchlint.gitignore import is_pattern

    if not is_pattern(pattern):
        entry.refuse(f"`{pattern}` is not a pattern as in .gitignore")
        return False
    return True


def _names_by_pattern(entry: Entry) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((pattern, _names(names)) for pattern, names in entry.members())


def _version(entry: Entry) -> tuple[int, int] | None:
    if not isinstance(entry.value, str):
        entry.refuse_type('a string such as "2.4"')
        return None
    if (version := _VERSION.fullmatch(entry.value)) is None:
        entry.refuse(f'`{entry.name}` must be a version of torch such as "2.4", got "{entry.value}"')
        return None
    return int(version[1]), int(version[2])


def _options_by_rule(entry: Entry) -> Mapping[str, Mapping[str, OptionValue]]:
    from torchlint.registry import builtin_rules

    options: dict[str, Mapping[str, OptionValue]] = {}
    for name, member in entry.members():
        if (rule := builtin_rules().get(name)) is not None:
            options[name] = decode_options(member, rule)
        elif name in _known_names():
            member.refuse(f"`{name}` is not a rule, and only rules have options", of_key=True)
        else:
            member.refuse(unknown_name(name, tuple(builtin_rules())), of_key=True)
    return options


@cache
def _known_names() -> tuple[str, ...]:
    return known_names()
