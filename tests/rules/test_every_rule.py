"""What must hold for every rule."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from pathlib import Path

import pytest

import torchlint
from tests.rules.programs import FIXTURES, marked, programs_of, reported
from torchlint import Rule
from torchlint.programs import programs
from torchlint.registry import builtin_rules

RULES = builtin_rules()
PROGRAMS = [(name, program) for name in RULES for program in programs_of(name)]
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
# What the demo shows belongs to no single rule.
_NO_RULE = {"demo-project", "__init__.py", "__pycache__"}


@pytest.mark.parametrize(("name", "program"), PROGRAMS, ids=[f"{name}/{path.name}" for name, path in PROGRAMS])
def test_a_rule_reports_the_marked_lines_and_no_others(name: str, program: Path, tmp_path: Path) -> None:
    marks = marked(program, name)
    asked_for = {name, *(mark for _, _, mark in marks)}
    rules = [rule() for rule in RULES.values() if rule.default or rule.name in asked_for]

    findings = reported(program, rules, tmp_path)

    assert {(Path(f.path).name, f.span.line, f.rule) for f in findings} == marks


@pytest.mark.parametrize(("name", "program"), PROGRAMS, ids=[f"{name}/{path.name}" for name, path in PROGRAMS])
def test_a_message_reads_on_after_the_code_it_points_at(name: str, program: Path, tmp_path: Path) -> None:
    messages = [finding.message for finding in reported(program, [RULES[name]()], tmp_path)]

    for message in messages:
        assert len(message) < 100
        assert ": " in message
        assert not message.endswith(".")
        assert message[0].islower() or message[0] == "`"


@each_rule
def test_a_rule_has_one_name_in_four_spellings(rule: type[Rule]) -> None:
    source = Path(inspect.getfile(rule))

    assert rule.name == source.stem.replace("_", "-")
    assert rule.__name__ == rule.name.replace("-", " ").title().replace(" ", "")
    assert rule.group == source.parent.name
    assert (FIXTURES / rule.name).is_dir()


@each_rule
def test_a_rule_shows_the_mistake_and_its_near_misses(rule: type[Rule]) -> None:
    bad, good = programs(rule.name, "bad"), programs(rule.name, "good")

    assert bad
    assert good
    assert not [program for program in bad if not {"claim", "unproved"} & {key for key, _ in program.claims}]


@each_rule
def test_a_page_says_what_to_do_and_where_to_read_on(rule: type[Rule]) -> None:
    page = inspect.cleandoc(rule.__doc__ or "")
    summary = page.partition("\n")[0]

    assert len(summary) <= 79
    assert summary.endswith(".")
    assert "https://docs.pytorch.org/" in page
    assert "```" not in page


@each_rule
def test_a_rule_can_be_sent_to_a_worker(rule: type[Rule]) -> None:
    copy = pickle.loads(pickle.dumps(rule()))

    assert type(copy) is rule
    assert copy.options == rule().options


@each_rule
def test_a_rule_asks_the_model_and_nobody_else(rule: type[Rule]) -> None:
    tree = ast.parse(inspect.getsource(inspect.getmodule(rule) or rule))
    public = set(torchlint.__all__)

    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module in {"__future__", "collections.abc", "dataclasses", "re", "typing", "torchlint"}
            if node.module == "torchlint":
                assert {alias.name for alias in node.names} <= public
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= {"re"}


def test_every_fixture_belongs_to_a_rule() -> None:
    folders = {path.name for path in FIXTURES.iterdir()} - _NO_RULE

    assert folders == set(RULES)


def test_names_say_the_mistake() -> None:
    assert [name for name in RULES if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)] == []
