"""What must hold for every rule."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import torchlint
from torchlint import Rule
from torchlint.registry import BUILTIN, builtin_rules
from torchlint.testing import Case, cases, unkept

FIXTURES = Path(__file__).parents[2] / "fixtures"
RULES = builtin_rules()
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
_OLD = (1, 4)
# What PyTorch did not have from the start, and the version that brought it.
_SINCE = {
    "torch.inference_mode": (1, 9),
    "torch.autocast": (1, 10),
    "weights_only": (1, 13),
    "set_default_device": (2, 0),
    "torch.compile": (2, 0),
    "mmap=": (2, 1),
    "torch.amp.GradScaler": (2, 3),
    "safe_globals": (2, 5),
    "nn.Buffer": (2, 5),
    "torch.accelerator": (2, 6),
}
# What the demo shows belongs to no single rule.
_NO_RULE = {"demo-project", "__init__.py", "__pycache__"}


@pytest.mark.parametrize("case", cases(BUILTIN), ids=str)
def test_a_rule_reports_the_marked_lines_and_no_others(case: Case) -> None:
    assert case.reported() == case.marked()


@pytest.mark.parametrize("case", cases(BUILTIN, "bad"), ids=str)
def test_nothing_is_advised_that_the_pytorch_of_the_project_has_not(case: Case) -> None:
    source = "".join(case.texts().values())

    found = case.findings(target_torch=_OLD)

    fixed = [edit.text for one in found for edit in (one.fix.edits if one.fix else ())]
    newer = {word: ".".join(map(str, since)) for word, since in _SINCE.items() if since > _OLD and word not in source}
    # A message may say what it takes.
    advised = [(text, word) for text in fixed for word in newer if word in text]
    advised += [
        (one.message, word)
        for one in found
        for word, since in newer.items()
        if word in one.message and since not in one.message
    ]
    assert advised == []


def test_every_rule_keeps_the_conventions_of_packs() -> None:
    assert unkept(BUILTIN) == []


@each_rule
def test_a_rule_has_one_name_in_four_spellings(rule: type[Rule]) -> None:
    source = Path(inspect.getfile(rule))

    assert rule.name == source.stem.replace("_", "-")
    assert rule.__name__ == rule.name.replace("-", " ").title().replace(" ", "")
    assert rule.group == source.parent.name
    assert (FIXTURES / rule.name).is_dir()


@each_rule
def test_a_page_says_where_to_read_on_and_leaves_code_to_the_programs(rule: type[Rule]) -> None:
    page = inspect.cleandoc(rule.__doc__ or "")

    assert "https://docs.pytorch.org/" in page
    assert "```" not in page


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
            assert {alias.name for alias in node.names} <= {"re", "torchlint"}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "torchlint":
            assert node.attr in public


def test_every_fixture_belongs_to_a_rule() -> None:
    folders = {path.name for path in FIXTURES.iterdir()} - _NO_RULE

    assert folders == set(RULES)


def test_names_say_the_mistake() -> None:
    assert [name for name in RULES if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name)] == []
