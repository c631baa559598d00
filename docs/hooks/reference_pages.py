"""The reference of the site: every option and every setting, as the program itself describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files

import click

from torchlint.cli.command import torchlint
from torchlint.cli.program import sections

Schema = Mapping[str, object]


def cli_page() -> str:
    """Return the page of all commands and their options."""
    return "\n\n".join(["# Command line", *_check(), *_commands()])


def settings_page() -> str:
    """Return the page of all settings, from the schema of the configuration."""
    schema = json.loads(files("torchlint.config").joinpath("schema.json").read_text("utf-8"))
    opening = (
        "The keys of `[tool.torchlint]` in `pyproject.toml`, or of `torchlint.toml`."
        " [Configuration](../configuration.md) shows them in use."
    )
    return "\n\n".join(["# Settings", opening, *_settings(schema)])


def _check() -> Iterator[str]:
    command = torchlint.commands["check"]
    yield "## `torchlint [PATHS]`"
    yield "Lint files and folders; by default the current folder. `torchlint check [PATHS]` is the same."
    for title, options in sections(command, click.Context(command, **torchlint.context_settings)):
        yield f"### {title}"
        yield _table(options)


def _commands() -> Iterator[str]:
    for name, command in sorted(torchlint.commands.items()):
        if name != "check":
            context = click.Context(command, info_name=f"torchlint {name}", **torchlint.context_settings)
            yield f"## `torchlint {name}`"
            yield f"```text\n{' '.join([f'torchlint {name}', *command.collect_usage_pieces(context)])}\n```"
            yield (command.help or "").replace("\b", "").strip()
            records = (one.get_help_record(context) for one in command.get_params(context))
            yield _table([record for record in records if record])


def _table(options: list[tuple[str, str]]) -> str:
    # In code, a backslash would be shown, and a bar ends no cell.
    rows = (f"| `{names}` | {_escaped(words)} |" for names, words in options)
    return "\n".join(["| option | |", "|---|---|", *rows])


def _settings(schema: Schema) -> Iterator[str]:
    properties, definitions = schema["properties"], schema["$defs"]
    assert isinstance(properties, dict)
    assert isinstance(definitions, dict)
    for name, described in properties.items():
        whole = definitions.get(str(described.get("$ref", "")).rpartition("/")[2], {}) | described
        yield f"## `{name}`"
        yield str(described["description"])
        yield "\n".join(f"- {fact}" for fact in _facts(whole))


def _facts(described: Schema) -> Iterator[str]:
    yield f"Type: {_type(described)}"
    if "default" in described:
        yield f"Default: `{json.dumps(described['default'])}`"


def _type(described: Schema) -> str:
    if isinstance(values := described.get("enum"), list):
        return "one of " + ", ".join(f'`"{value}"`' for value in values)
    names = {"string": "string", "boolean": "`true` or `false`", "array": "list of strings", "object": "table"}
    return names[str(described["type"])]


def _escaped(words: str) -> str:
    return words.replace("|", "\\|").replace("[", "\\[")
