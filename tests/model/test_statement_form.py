"""Statements are changed as nodes of LibCST, and all that a change is not about stays as it was written."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst
import pytest

from torchlint.finding import Edit
from torchlint.model import Place, Project, SourceFile
from torchlint.model.calls import Call

_CALLS = {
    "alone": ("f(a)", "f(a, b)"),
    "in a block": ("if x:\n\tf(a)  # kept\n", "if x:\n\tf(a, b)  # kept\n"),
    "behind another statement": ("x = 1; f(a); y = 2", "x = 1; f(a, b); y = 2"),
    "over several lines": (
        "y = [\n    f(\n        a,  # why\n    ),\n]",
        "y = [\n    f(\n        a,  # why\n    b),\n]",
    ),
    "in parentheses": ("y = (f(a))", "y = (f(a, b))"),
    "in the head of a block": ("with f(a) as g:\n    '''a\n  b'''\n", "with f(a, b) as g:\n    '''a\n  b'''\n"),
    "in a decorator": ("@f(a)\n@other\ndef g():\n    pass\n", "@f(a, b)\n@other\ndef g():\n    pass\n"),
    "in a decorator of a method": (
        "class A:\n    @f(a)\n    def g(self): pass\n",
        "class A:\n    @f(a, b)\n    def g(self): pass\n",
    ),
    "behind letters of two bytes": ("y = 'äöü', f(a)", "y = 'äöü', f(a, b)"),
    "in the condition of an else": ("if x: pass\nelif f(a): pass", "if x: pass\nelif f(a, b): pass"),
    "in one of a block": (
        "if z:\n  if x: pass\n  elif f(a):\n    pass\n  else: pass",
        "if z:\n  if x: pass\n  elif f(a, b):\n    pass\n  else: pass",
    ),
    "in an f-string": ("y = f'{f(a)}'", "y = f'{f(a, b)}'"),
}


def _opened(text: str) -> SourceFile:
    return Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", text.encode())


def _with_another(call: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(call, cst.Call)
    return call.with_changes(args=[*call.args, cst.Arg(cst.Name("b"))])


def _edited(text: str, edits: tuple[Edit, ...]) -> str:
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        span = edit.span
        before, behind = lines[span.line - 1][: span.column - 1], lines[span.end_line - 1][span.end_column - 1 :]
        lines[span.line - 1 : span.end_line] = f"{before}{edit.text}{behind}".split("\n")
    return "\n".join(lines)


@pytest.mark.parametrize(("text", "expected"), _CALLS.values(), ids=_CALLS)
def test_a_call_is_changed_wherever_it_stands(text: str, expected: str) -> None:
    file = _opened(text)
    (call,) = (Call(file, node, statement) for node, statement in file.index.expressions(ast.Call))

    assert _edited(text, call.edits.change(_with_another)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = f(a)", "y = list(f(a))"),
        ("y = (f(a))", "y = (list(f(a)))"),
        ("if z: y = f(a); w = 1", "if z: y = list(f(a)); w = 1"),
        ("y = [\n    f(\n        a,\n    )  # why\n]", "y = [\n    list(f(\n        a,\n    ))  # why\n]"),
    ],
)
def test_an_expression_is_passed_to_a_function(text: str, expected: str) -> None:
    file = _opened(text)
    (call,) = (Call(file, node, statement) for node, statement in file.index.expressions(ast.Call))

    assert _edited(text, call.edits.pass_to("list")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x *= y", "x = x * y"),
        ("x -= y + z  # why", "x = x - (y + z)  # why"),
        ("x @= (\n    y\n)", "x = x @ (\n    y\n)"),
        ("if z: x //= -1", "if z: x = x // (-1)"),
        ("x <<= f(\n    1,\n)", "x = x << f(\n    1,\n)"),
        ("x.y += 1", "x.y += 1"),
    ],
)
def test_an_operation_in_place_is_computed_anew(text: str, expected: str) -> None:
    file = _opened(text)
    statement = next(one for one in ast.walk(file.tree) if isinstance(one, ast.AugAssign))

    assert _edited(text, Place(file, statement.target, statement).edits.computed_anew()) == expected


def test_what_is_too_nested_to_parse_is_not_changed() -> None:
    text = f"f({'[' * 90}{', '.join(['a'] * 9000)}{']' * 90})"
    file = _opened(text)
    (call,) = (Call(file, node, statement) for node, statement in file.index.expressions(ast.Call))

    assert call.edits.change(_with_another) == ()
