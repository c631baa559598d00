"""The keys of a configuration, and what each of them takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from torchlint.config.entry import Entry, advice
from torchlint.config.settings import Config
from torchlint.rule import OptionValue, Rule
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
    return tuple(name for item, name in _strings(entry) if _is_known(item, name))


def _is_known(entry: Entry, name: str) -> bool:
    known = _known_names()
    if name not in known:
        entry.refuse(unknown_name(name, known))
    return name in known


def _patterns(entry: Entry) -> tuple[str, ...]:
    return tuple(pattern for item, pattern in _strings(entry) if _is_pattern(item, pattern))


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
        if (rule := builtin_rules().get(name)) is None:
            member.refuse(unknown_name(name, tuple(builtin_rules())), of_key=True)
        else:
            options[name] = dict(_options(member, rule))
    return options


def _options(entry: Entry, rule: type[Rule]) -> Iterator[tuple[str, OptionValue]]:
    """Yield the options of a rule that are set to something of the type of their defaults."""
    for name, member in entry.members():
        if name in rule.option_defaults:
            value = _option(member, rule.option_defaults[name])
            if value is not None:
                yield name, value
        elif rule.option_defaults:
            words = f"`{rule.name}` has no option `{name}`; {advice(name, tuple(rule.option_defaults))}"
            member.refuse(words, of_key=True)
        else:
            member.refuse(f"`{rule.name}` has no options", of_key=True)


def _option(entry: Entry, default: OptionValue) -> OptionValue | None:
    value = entry.value
    match default:
        case tuple():
            return tuple(text for _, text in _strings(entry))
        case bool() if isinstance(value, bool):
            return value
        # To Python, True is an integer.
        case int() if isinstance(value, int) and isinstance(value, bool) == isinstance(default, bool):
            return value
        case str() if isinstance(value, str):
            return value
    kinds = {bool: "true or false", int: "an integer", str: "a string"}
    entry.refuse_type(kinds[type(default)])
    return None


def _strings(entry: Entry) -> Iterator[tuple[Entry, str]]:
    """Yield the strings of a list, and refuse what else is in it."""
    for item in entry.items("strings"):
        if isinstance(item.value, str):
            yield item, item.value
        else:
            item.refuse_type("a string")


@cache
def _known_names() -> tuple[str, ...]:
    return known_names()
