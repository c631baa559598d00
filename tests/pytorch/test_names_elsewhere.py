"""Facts about PyTorch are rows of `torchlint/pytorch`: its names stand nowhere else, but for the subject of a rule."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[2]
_FULL_NAME = re.compile(r"torch(\.\w+)+\.?")
# What has two names of PyTorch and is no fact about it, by its file and the name that it is bound to.
_SOUGHT = "names that a file is searched for, before their meaning is asked for"
_KINDS = "the kinds of a class of ours, or the functions for them"
_PACKAGES = "names of packages"
_PYTHON = "functions of Python"
_MANY = "methods that many classes have, so that the name says nothing of an unknown object"
_NO_FACTS = {
    "rules/device/detectors/cuda_contexts.py _kept": "the parts of an import",
    "rules/device/detectors/further_gpus.py _NUMBERED": _SOUGHT,
    "rules/device/detectors/further_gpus.py _OPTIONS": _SOUGHT,
    "rules/device/detectors/mixable.py _HARMLESS": "names that are called often, so that fewer are asked for",
    "rules/numerics/detectors/activated_losses.py Mismatch": _KINDS,
    "rules/parallel/detectors/before_wrapping.py _OF_MANY": _MANY,
    "rules/sync/detectors/asynchronous.py _waits": "methods of threads, futures and streams of any package",
    "rules/sync/detectors/reads.py MATH": _PYTHON,
    "rules/sync/detectors/reads.py WaitKind": _KINDS,
    "rules/sync/detectors/reads.py _READS": _KINDS,
    "rules/sync/detectors/waiting.py _WAITS": _KINDS,
    "rules/training/detectors/divided_schedules.py _KEEPING": _PYTHON,
    "rules/training/detectors/late_clips.py _KINDS": _KINDS,
    "rules/training/detectors/left_in_train.py _learned": _SOUGHT,
    "rules/training/detectors/mode_changes.py _HARMLESS": _PACKAGES,
    "rules/training/detectors/two_modes.py _PLAIN_PACKAGES": _PACKAGES,
    "torchlint/model/devices/host_programs.py _UNMOVING": _PACKAGES,
    "torchlint/model/modules/unmoving.py _MOVING": _SOUGHT,
    "torchlint/model/results/einops_calls.py _FUNCTIONS": "functions of einops, and ours for them",
    "torchlint/model/tensors/data_tests.py _AS_A_RULE": "tests of numbers by any package, which hold as a rule",
    "torchlint/model/tensors/data_tests.py _SELDOM": "tests of numbers by any package, which hold seldom",
    "torchlint/model/tensors/made_numbers.py _METHODS": "functions of ours, by the method that they are for",
    "torchlint/model/tensors/sizing.py _ROUNDING": _PYTHON,
    "torchlint/model/training/throttle_tests.py _DICE": "random numbers of any package",
    "torchlint/model/values/distinctive.py COMMON": _MANY,
}
_WORDS = frozenset({"words", "project_words"})
_DISPLAYS = (ast.Set, ast.List, ast.Tuple, ast.Dict, ast.comprehension)


def test_no_name_of_pytorch_is_written_in_the_model_or_in_a_detector() -> None:
    paths = [*(_CHECKOUT / "torchlint/model").rglob("*.py"), *_CHECKOUT.glob("rules/*/detectors/*.py")]
    found = {str(path.relative_to(_CHECKOUT)): names for path in paths if (names := _names_in(_parsed(path)))}

    assert found == {}, "put the fact into a table of torchlint/pytorch, with its version and a test"


def test_no_table_of_last_names_is_written_there() -> None:
    """A table is a display, or a text that is split, with two names that only PyTorch's namespaces and classes have."""
    found = _tables()

    left = {binding: lines for binding, lines in found.items() if binding not in _NO_FACTS}
    assert left == {}, "put it into a table of torchlint/pytorch, with a test, or say in `_NO_FACTS` why it is no fact"
    assert _NO_FACTS.keys() <= found.keys(), "what is gone needs no reason"


def _tables() -> dict[str, list[int]]:
    """Return the lines of tables of last names, by their file and what they are bound to, or the function around."""
    names = _last_names()
    found: dict[str, list[int]] = {}
    for path in [*(_CHECKOUT / "torchlint/model").rglob("*.py"), *_CHECKOUT.glob("rules/*/detectors/*.py")]:
        for statement in _parsed(path).body if path.name != "__init__.py" else ():
            for node in ast.walk(statement):
                if isinstance(node, ast.expr) and len(names & _texts_of(node)) > 1:
                    binding = f"{path.relative_to(_CHECKOUT)} {_bound_by(statement)}"
                    found.setdefault(binding, []).append(node.lineno)
    return found


def _bound_by(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case _:
            return ""


def _last_names() -> set[str]:
    torch = pytest.importorskip("torch", reason="the names are PyTorch's")
    spaces = (torch, torch.nn, torch.nn.functional, torch.cuda, torch.distributed, torch.autograd)
    classes = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.amp.GradScaler, torch.cuda.Event)
    of_python = (bytes, complex, dict, list, object, set, str, type)
    known = {name for one in of_python for name in dir(one)} | set(dir(builtins))
    return {name for one in (*spaces, *classes) for name in dir(one) if not name.startswith("_")} - known


def _texts_of(node: ast.AST) -> set[str]:
    match node:
        case ast.Set(elts=written) | ast.List(elts=written) | ast.Tuple(elts=written) | ast.Dict(keys=written):
            return {one.value for one in written if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(words)), attr="split")):
            return set(words.split())
        case _:
            return set()


def test_a_rule_names_what_it_is_about_and_has_no_table() -> None:
    """A rule imports the public names of torchlint alone, as that of a pack does: its subject it names itself."""
    for path in _CHECKOUT.glob("rules/*/*.py"):
        tables = [names for node in _displays(_parsed(path)) if (names := _names_in(node))]

        assert tables == [], f"{path}: its detector reads a table of torchlint/pytorch"


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _displays(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the displays and comprehensions of a rule, but for the words that files are searched for."""
    words = {
        id(node)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign) and {getattr(one, "id", "") for one in statement.targets} <= _WORDS
        for node in ast.walk(statement)
    }
    return (node for node in ast.walk(tree) if isinstance(node, _DISPLAYS) and id(node) not in words)


def _names_in(tree: ast.AST) -> list[str]:
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [text for text in texts if _FULL_NAME.fullmatch(text)]
