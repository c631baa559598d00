"""What is in newer grammar is written out, and refused where it is too deep, as all else is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.engine.projects import job_of, linted
from torchlint.syntax.index import build_index
from torchlint.syntax.walk import written
from torchlint.trees import tree_of

WRITTEN = [
    "f'{'\\n'.join(a)} b'",
    "f'{a['b']!r:>{w['\\x01']}}'",
    'f"{a[\'b\']} {c["\'"]} \\" {d[f"{"\\n"}"]}"',
]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_no_older_python_can_write_is_written_as_python_all_the_same(text: str) -> None:
    tree = tree_of(text)
    build_index(tree)
    (statement,) = tree.body
    assert isinstance(statement, ast.Expr)

    other = written(statement.value)

    named = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    assert named <= {node.id for node in ast.walk(tree_of(other)) if isinstance(node, ast.Name)}


DEEP = {
    "brackets": "x = " + "(" * 150 + "a" + ")" * 150 + " +",
    "terms": f"x = {' + '.join(['a'] * 20_000)}\nx = f'{{a['b']}}'",
    "patterns": f"match x:\n case {'(' * 12}a{',)' * 12}: x = f'{{a['b']}}'",
    "texts": "x = " + "f'{" * 300 + "1" + "}'" * 300,
    "blocks": "".join(f"{' ' * depth}if x:\n" for depth in range(99)) + " " * 99 + "type X = 1 +",
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(f"import torch\nx = torch.ones(1).cuda()\n{DEEP[name]}\ntype T = int\n")

    (report,) = linted(job_of(tmp_path))

    assert report.errors == ()
    assert {finding.rule for finding in report.findings} <= {"unreadable-source", "hardcoded-cuda"}
    assert report.findings
