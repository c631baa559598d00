"""The options of a rule in a configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchlint.config.entry import Entry, advice
from torchlint.rule import OptionValue, Rule

_WORDS = {bool: "true or false", int: "an integer", str: "a string"}


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
