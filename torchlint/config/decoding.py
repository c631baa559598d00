"""The types of values of keys, each of which reports a value of another type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import TypeVar

from torchlint.config.entry import Entry, advice
from torchlint.config.extensions import LANGUAGES, extension_mistake
from torchlint.finding import Confidence, Severity
from torchlint.rule import OptionValue, Rule
from torchlint.selection import known_names, renaming, unknown_name

E = TypeVar("E", bound=Enum)

_ADDRESS = re.compile(r"https://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/%+-]*)?")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.\d+)?")
_WORDS = {bool: "true or false", int: "an integer", str: "a string"}


def string(entry: Entry) -> str | None:
    """Return a string that is not empty."""
    if not isinstance(entry.value, str):
        entry.refuse_type("a string")
    elif not entry.value:
        entry.refuse(f"`{entry.name}` must not be empty")
    else:
        return entry.value
    return None


def address(entry: Entry) -> str | None:
    """Return the address of a site, with one slash at its end."""
    found = string(entry)
    if found is not None and _ADDRESS.fullmatch(found) is None:
        entry.refuse(f'`{entry.name}` must be an address such as "https://docs.company.com/torchlint/"')
        return None
    return found and found.rstrip("/") + "/"


def boolean(entry: Entry) -> bool | None:
    """Return true or false."""
    if isinstance(entry.value, bool):
        return entry.value
    entry.refuse_type("true or false")
    return None


def one_of(entry: Entry, known: tuple[str, ...]) -> str | None:
    """Return one of some words."""
    if not isinstance(entry.value, str):
        entry.refuse_type("a string")
    elif entry.value not in known:
        entry.refuse(f"`{entry.name}` cannot be `{entry.value}`; {advice(entry.value, known)}")
    else:
        return entry.value
    return None


def severity(entry: Entry) -> Severity | None:
    """Return a severity."""
    return _member(entry, Severity)


def confidence(entry: Entry) -> Confidence | None:
    """Return a confidence."""
    return _member(entry, Confidence)


def names(entry: Entry) -> tuple[str, ...]:
    """Return names of rules and groups, all of which exist."""
    found = (known_name(item, name) for item, name in entry.strings())
    return tuple(name for name in found if name is not None)


def known_name(entry: Entry, name: str, *, of_key: bool = False) -> str | None:
    """Return the current name of a rule or a group; refuse an unknown one."""
    from torchlint.registry import renamed_rules

    if (now := renamed_rules().get(name)) is not None:
        entry.note(renaming(name, now), of_key=of_key)
        return now
    known = _known_names()
    if name in known:
        return name
    entry.refuse(unknown_name(name, known), of_key=of_key)
    return None


def patterns(entry: Entry) -> tuple[str, ...]:
    """Return patterns as in `.gitignore`."""
    return tuple(pattern for item, pattern in entry.strings() if _is_pattern(item, pattern))


def names_by_pattern(entry: Entry) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return a table from patterns to names of rules."""
    return tuple((pattern, names(member)) for pattern, member in entry.members())


def language_by_extension(entry: Entry) -> Mapping[str, str]:
    """Return a table from extensions of files, without the dot, to their language, which is Python."""
    found = ((name, one_of(member, LANGUAGES)) for name, member in entry.members() if _is_extension(member, name))
    return {name: language for name, language in found if language is not None}


def severity_by_name(entry: Entry) -> Mapping[str, Severity]:
    """Return a table from names of rules and groups to severities."""
    found = ((known_name(member, name, of_key=True), severity(member)) for name, member in entry.members())
    return {name: value for name, value in found if name is not None and value is not None}


def version(entry: Entry) -> tuple[int, int] | None:
    """Return a version of torch."""
    if not isinstance(entry.value, str):
        entry.refuse_type('a string such as "2.4"')
        return None
    if (found := _VERSION.fullmatch(entry.value)) is None:
        entry.refuse(f'`{entry.name}` must be a version of torch such as "2.4", got "{entry.value}"')
        return None
    return int(found[1]), int(found[2])


def options_by_rule(entry: Entry) -> Mapping[str, Mapping[str, OptionValue]]:
    """Return a table from names of rules to their options."""
    from torchlint.registry import installed_rules, renamed_rules

    options: dict[str, Mapping[str, OptionValue]] = {}
    for name, member in entry.members():
        if (now := renamed_rules().get(name)) is not None:
            member.note(renaming(name, now), of_key=True)
        if (rule := installed_rules().get(now or name)) is not None:
            options[rule.name] = decode_options(member, rule)
        elif name in _known_names():
            member.refuse(f"`{name}` is not a rule, and only rules have options", of_key=True)
        else:
            member.refuse(unknown_name(name, tuple(installed_rules())), of_key=True)
    return options


def _member(entry: Entry, kind: type[E]) -> E | None:
    word = one_of(entry, tuple(str(one.value) for one in kind))
    return None if word is None else kind(word)


def _is_extension(entry: Entry, name: str) -> bool:
    if mistake := extension_mistake(name):
        entry.refuse(mistake, of_key=True)
    return not mistake


def _is_pattern(entry: Entry, pattern: str) -> bool:
    from torchlint.files.gitignore import is_pattern

    if not is_pattern(pattern):
        entry.refuse(f"`{pattern}` is not a pattern as in .gitignore")
        return False
    return True


@cache
def _known_names() -> tuple[str, ...]:
    return known_names()


def decode_options(table: Entry, rule: type[Rule]) -> Mapping[str, OptionValue]:
    """Return the options that a table sets for a rule, of those that are of the type of their defaults."""
    return dict(_decoded(table, rule))


def _decoded(table: Entry, rule: type[Rule]) -> Iterator[tuple[str, OptionValue]]:
    for name, entry in table.members():
        if name in rule.option_defaults:
            value = _like(entry, rule.option_defaults[name])
            if value is not None:
                yield name, value
        elif rule.option_defaults:
            words = f"`{rule.name}` has no option `{name}`; {advice(name, tuple(rule.option_defaults))}"
            entry.refuse(words, of_key=True)
        else:
            entry.refuse(f"`{rule.name}` has no options", of_key=True)


def _like(entry: Entry, default: OptionValue) -> OptionValue | None:
    """Return the value of an option if it is of the type of its default: to Python, True is an integer, to us not."""
    if isinstance(default, tuple):
        return tuple(text for _, text in entry.strings())
    value = entry.value
    if isinstance(value, (bool, int, str)) and type(value) is type(default):
        return value
    entry.refuse_type(_WORDS[type(default)])
    return None
