"""No walk counts how deep it is: those that lead from place to place are queries, or visit each place once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_WALKING = (
    "rules",
    "torchlint/syntax",
    "torchlint/project",
    "torchlint/inference",
    "torchlint/model",
    "torchlint/edits",
)
_ENGINE = _ROOT / "torchlint/inference/engine"
_COUNTING = {
    "torchlint/model/parallel/device_transfer.py: _one_transferred": "a tuple may contain itself, deeper and deeper",
    "torchlint/model/training/call_paths.py: _frames_at": "a frame is the path itself, and there is no end of paths",
}
"""The functions that count, each with the reason why what it goes through has no end without it."""


def test_no_function_counts_how_deep_it_is() -> None:
    modules = [path for folder in _WALKING for path in (_ROOT / folder).rglob("*.py")]

    found = {
        f"{path.relative_to(_ROOT).as_posix()}: {name}"
        for path in modules
        if not path.is_relative_to(_ENGINE)
        for name in _counting(ast.parse(path.read_text("utf-8")))
    }

    assert len(modules) > 500
    assert found == _COUNTING.keys()


def test_a_counter_is_seen_under_any_name() -> None:
    counting = """
def walk(node, depth=0):
    return walk(node.value)
def climb(node, left):
    return other(node, left - 1)
def other(node, left):
    return climb(node, left)
def descend(node, seen):
    return descend(node.value, seen | {node})
"""

    assert set(_counting(ast.parse(counting))) == {"walk", "climb"}


def _counting(tree: ast.Module) -> Iterator[str]:
    """Yield the functions with a parameter called a depth, or that pass on one of theirs, plus or minus a number."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = {one.name for one in functions}
    for one in functions:
        parameters = {arg.arg for arg in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)}
        calls = [node for node in ast.walk(one) if isinstance(node, ast.Call) and _name(node.func) in names]
        passed = (arg for call in calls for arg in (*call.args, *(word.value for word in call.keywords)))
        if any("depth" in name for name in parameters) or any(_is_counted(arg, parameters) for arg in passed):
            yield one.name


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _is_counted(passed: ast.expr, parameters: set[str]) -> bool:
    match passed:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            return name in parameters
        case _:
            return False
