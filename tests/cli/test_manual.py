"""`torchlint explain`, `torchlint rules`, `--help`, `--version`, completion."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint import __version__
from torchlint.cli.command import torchlint as commands
from torchlint.cli.program import SECTIONS
from torchlint.registry import builtin_rules
from torchlint.verify.evidence import evidence_of


def test_the_version_is_one_line(torchlint: Torchlint) -> None:
    assert torchlint("--version") == Ran(0, f"torchlint {__version__}\n", "")


def test_the_help_names_the_commands_the_exit_codes_and_the_way_to_a_folder_called_rules(torchlint: Torchlint) -> None:
    ran = torchlint("--help")

    assert ran.code == 0
    assert ran.out.startswith("Usage: torchlint [OPTIONS] [PATHS]...\n       torchlint COMMAND [ARGUMENTS]...\n")
    words = " ".join(ran.out.split())
    assert "use `./rules` for a folder named `rules`" in words
    assert (
        "Exit codes: 0 nothing found or left, 1 findings or a diff, 2 something could not be done, 130 interrupted."
        in words
    )
    for command in ("check", "explain", "rules", "verify"):
        assert f"\n  {command} " in ran.out
    assert torchlint("check", "-h") == ran


def test_the_help_has_every_option_in_one_section(torchlint: Torchlint) -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    command = commands.commands["check"]
    context = click.Context(command, **commands.context_settings)

    options = [one.opts[-1] for one in command.get_params(context) if isinstance(one, click.Option)]

    assert sorted(listed) == sorted(options)
    assert [line[:-1] for line in torchlint("--help").out.splitlines() if line.endswith(":") and line[0] != " "] == [
        *SECTIONS,
        "Commands",
    ]


def test_rule_is_another_word_for_explain(torchlint: Torchlint) -> None:
    assert torchlint("rule", "kept-graph") == torchlint("explain", "kept-graph")


def test_a_page_cites_what_is_on_record(torchlint: Torchlint) -> None:
    ran = torchlint("explain", "kept-graph")

    evidence = evidence_of("kept-graph")
    assert evidence is not None
    assert ran.code == 0
    assert ran.out.startswith("kept-graph: error, high confidence, on by default, group `sync`, fixable\n")
    assert f"\n    {evidence.words}\n" in ran.out


def test_an_unknown_rule_has_no_page(torchlint: Torchlint) -> None:
    told = "error: unknown rule `kept_grph`; did you mean `kept-graph`?\n"
    assert torchlint("explain", "kept_grph") == Ran(2, "", told)


def test_what_the_engine_reports_has_a_page_too(torchlint: Torchlint) -> None:
    assert torchlint("explain", "unreadable-source").code == 0


@pytest.mark.parametrize("option", ["--output-format", "--format"])
def test_rules_are_listed_for_people_and_for_programs(torchlint: Torchlint, option: str) -> None:
    names = {*builtin_rules(), "unreadable-source", "unused-ignore", "renamed-ignore"}

    text, markdown = torchlint("rules"), torchlint("rules", option, "markdown")
    listed = json.loads(torchlint("rules", option, "json").out)

    assert {line.split()[0] for line in text.out.splitlines() if line.startswith("  ")} == names
    assert all(f"\n| `{name}` | " in markdown.out for name in names)
    assert {rule["name"] for rule in listed["rules"]} == names


def test_the_list_is_coloured_for_who_asks(torchlint: Torchlint) -> None:
    assert "\x1b[1m" in torchlint("rules", "--color").out
    assert "\x1b[" not in torchlint("rules").out


def completed(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Return bash's completions for the last word of a line."""
    monkeypatch.setenv("_TORCHLINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(("torchlint", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    return torchlint().out.splitlines()


def test_the_shell_completes_commands_options_and_rules(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(torchlint, monkeypatch, "ex") == ["plain,explain", "file,ex"]
    assert completed(torchlint, monkeypatch, "src", "ex") == ["file,ex"]
    assert "plain,--statistics" in completed(torchlint, monkeypatch, "--st")
    assert completed(torchlint, monkeypatch, "explain", "kept-g") == ["plain,kept-graph"]
    assert completed(torchlint, monkeypatch, "--select", "kept-graph,device-id") == [
        "plain,kept-graph,device-ids-mismatch",
    ]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_is_told_how_to_complete(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_TORCHLINT_COMPLETE", f"{shell}_source")

    assert "_TORCHLINT_COMPLETE" in torchlint().out


def test_a_place_in_the_manual_leads_to_a_file_that_is_there(torchlint: Torchlint) -> None:
    page = torchlint("explain", "kept-graph").out

    (path,) = (line.partition("(")[2].rstrip(")") for line in page.splitlines() if line.startswith("Good ("))
    assert Path(path).is_file()


def test_all_pages_or_those_that_are_named_are_shown(torchlint: Torchlint) -> None:
    every = json.loads(torchlint("explain", "--all", "--output-format", "json").out)["rules"]
    named = json.loads(torchlint("explain", "unsafe-load", "kept-graph", "unsafe-load", "--format", "json").out)[
        "rules"
    ]

    assert {rule["name"] for rule in every} >= builtin_rules().keys()
    assert [rule["name"] for rule in named] == ["unsafe-load", "kept-graph"]
    assert all(rule["bad"] and rule["good"] for rule in every if rule["group"] != "source")
    assert named[0]["reference"].startswith("https://docs.pytorch.org/")
    assert "# torchlint: ignore[unsafe-load] " in named[0]["suppress"]["comments"][0]


@pytest.mark.parametrize("arguments", [[], ["kept-graph", "--all"]])
def test_a_page_must_be_asked_for_in_one_way(torchlint: Torchlint, arguments: list[str]) -> None:
    assert torchlint("explain", *arguments) == Ran(
        2, "", "error: name rules to explain, or say --all\n  tip: `torchlint explain --help` lists what there is\n"
    )


def test_a_page_is_markdown_where_that_is_asked_for(torchlint: Torchlint) -> None:
    page = torchlint("explain", "kept-graph", "--output-format", "markdown").out

    assert page.startswith("# kept-graph\n\n")
    assert page.count("```python\n") == 4
