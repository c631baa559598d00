"""The schema of the configuration for editors is what torchlint accepts."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from torchlint.config import load_config
from torchlint.config.fields import FIELDS
from torchlint.config.toml import toml, toml_key
from torchlint.errors import UsageError
from torchlint.files.skipped import EXCLUDED
from torchlint.registry import builtin_rules
from torchlint.selection import known_names

SCHEMA = json.loads(files("torchlint.config").joinpath("schema.json").read_text("utf-8"))
_VALUES: tuple[object, ...] = (
    "sync", "error", "high", "default", "2.4", "2.4.1", "0.1", ">=0.1, <99", "base.toml", "", True, 1, [], ["sync"],
    ["all", "kept-graph"], [1], ["sync", True], {}, {"sync": "error"}, {"sync": ["device"]}, {"kept-graph": {}},
    {"sync": 1}, {"*.py": []}, {"*.py": "sync"}, {"sync": "bad"}, "info", "low", "strict", "2", "two", False,
    "concise", {"txt": "python"}, {"py": "python"}, {".txt": "python"}, {"a/b": "python"},
    "https://a.com/docs", "https://a.com", "http://a.com", "https://a b", "https://a.com/?b",
)  # fmt: skip


def written(value: object) -> str:
    """Return a value as TOML, tables inline."""
    if not isinstance(value, dict):
        return toml(value)
    return f"{{{', '.join(f'{toml_key(key)} = {written(one)}' for key, one in value.items())}}}"


def is_taken(text: str) -> bool:
    """Tell whether a configuration is without mistakes."""
    file = Path("torchlint.toml")
    file.write_text(text, encoding="utf-8")
    try:
        load_config(file)
    except UsageError:
        return False
    return True


def test_the_schema_is_one_and_has_every_key_in_order() -> None:
    Draft202012Validator.check_schema(SCHEMA)

    assert tuple(SCHEMA["properties"]) == FIELDS
    assert not Draft202012Validator(SCHEMA).is_valid({"selec": []})


# What only torchlint can tell: that a file is there, and that this is another torchlint.
_BEYOND = {"extend": {"base.toml", ""}, "required-version": {"0.1", ">=0.1, <99", "", "two"}}


@pytest.mark.parametrize("key", FIELDS)
def test_a_value_is_valid_where_it_is_taken(key: str) -> None:
    Path("base.toml").touch()
    schema = Draft202012Validator(SCHEMA)
    values = [one for one in _VALUES if key not in _BEYOND or not isinstance(one, str) or one in _BEYOND[key]]

    taken = [value for value in values if is_taken(f"{key} = {written(value)}")]

    assert taken == [value for value in values if schema.is_valid({key: value})]
    assert taken


def test_every_name_is_valid() -> None:
    schema = Draft202012Validator(SCHEMA)

    assert schema.is_valid({"select": [*known_names()]})


def test_every_option_of_every_rule_is_valid_at_its_default() -> None:
    schema = Draft202012Validator(SCHEMA)
    rules = {
        name: {
            option: [*value] if isinstance(value, tuple) else value for option, value in rule.option_defaults.items()
        }
        for name, rule in builtin_rules().items()
    }

    assert schema.is_valid({"rules": rules})


def test_an_editor_is_told_what_is_excluded_by_default() -> None:
    assert tuple(SCHEMA["properties"]["exclude"]["default"]) == EXCLUDED
