"""What the shell may complete a word to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_path_or_command(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the commands, for the first word, and a word that makes the shell complete files."""
    from click.shell_completion import CompletionItem

    program = ctx.parent.command if ctx.parent else None
    commands = program.commands.items() if isinstance(program, click.Group) and not ctx.params.get("paths") else ()
    found = [CompletionItem(name, help=command.get_short_help_str()) for name, command in commands]
    return [*_beginning(incomplete, found), CompletionItem(incomplete, type="file")]


def complete_rule(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the rules."""
    from click.shell_completion import CompletionItem

    from torchlint.registry import installed_rules

    return _beginning(incomplete, map(CompletionItem, installed_rules()))


def complete_selection(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the groups and the rules, after the last comma."""
    from click.shell_completion import CompletionItem

    from torchlint.registry import installed_rules

    before = incomplete[: incomplete.rfind(",") + 1]
    groups = dict.fromkeys(rule.group for rule in installed_rules().values())
    return _beginning(incomplete, (CompletionItem(before + name) for name in ("all", *groups, *installed_rules())))


def _beginning(incomplete: str, items: Iterable[CompletionItem]) -> list[CompletionItem]:
    return [item for item in items if str(item.value).startswith(incomplete)]
