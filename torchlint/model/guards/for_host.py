"""Places for the host: arms of tests of a flag that keeps modules off the GPU, or that says so by its name.

`if self.config["fast"]: self.net.cuda()` in a constructor, and `else: y.numpy()` in a method: where the second runs,
the module is on the host. The flag may be an attribute, an option or an entry of a configuration.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.devices.moving import device_argument, moved_in_place
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.metadata import METADATA
from torchlint.pytorch.moves import TO_GPU
from torchlint.syntax.around import dominating_conditions, is_self
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.facts import atoms
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# Several GPUs, or none of them: `multi_gpu` and `n_gpu > 1` say nothing about one.
_ON_GPU = re.compile(r"_?(is|has|use|with|on|enable)?_?(cuda|gpu)(_?(available|enabled|flag|mode))?")
_ON_HOST = re.compile(r"_?(no_?(cuda|gpu)|(is|use|on|force)?_?cpu(_?only)?)")
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq,
    ast.IsNot: ast.Is,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
}
_NONE: frozenset[tuple[str, bool]] = frozenset()


def is_for_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place runs only if an undecided flag keeps the program off CUDA."""
    return any(
        (_says_host(part, holds) or _keeps_on_host(ev, place.file, part, holds))
        and ev.truth(Place(place.file, part, one.statement, place.frame, place.given)) is None
        for one in dominating_conditions(place)
        for part, holds in atoms(one.test, one.holds)
    )


def _says_host(test: ast.expr, holds: bool) -> bool:
    name = _flag(test).lower()
    return (_ON_HOST if holds else _ON_GPU).fullmatch(name) is not None


def _keeps_on_host(ev: Evaluator, file: ParsedFile, test: ast.expr, holds: bool) -> bool:
    """Tell whether modules of a file are moved to a GPU with the opposite outcome of a test, and none with this one."""
    flag, is_true = _in_words(test, holds)
    moved = _moved_with(ev, file) if flag else _NONE
    return (flag, not is_true) in moved and (flag, is_true) not in moved


@tabled(_NONE)
def _moved_with(ev: Evaluator, file: ParsedFile) -> frozenset[tuple[str, bool]]:
    """Return the outcomes of tests of flags under which a file moves a module to a GPU."""
    return frozenset(
        _in_words(part, holds)
        for move in _moves(ev, file)
        for one in dominating_conditions(move)
        for part, holds in atoms(one.test, one.holds)
    )


def _moves(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    for name in TO_GPU:
        for call, statement in file.index.calls(name):
            move = Place(file, call, statement)
            if _names_gpu(call, name) and _is_of_module(ev, move, call):
                yield move


def _is_of_module(ev: Evaluator, move: Place, call: ast.Call) -> bool:
    """Tell whether a call moves a module: a statement of its own would move nothing else."""
    if moved_in_place(call, move.statement) is not None:
        return True
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call
    return any(is_module(ev, one.value) for one in ev.evaluate(move.at(owner)))


def _names_gpu(call: ast.Call, name: str) -> bool:
    argument = device_argument(call, name)
    if name == "cuda" or argument is None:
        return name == "cuda"
    text = written(argument)
    return is_about_device(text) and "cpu" not in text


def _in_words(test: ast.expr, holds: bool) -> tuple[str, bool]:
    """Return a test of a flag in words that are the same in all functions, and its outcome; no words for others."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=value)]) if _flag(left):
            kind = _OPPOSITES.get(type(op), type(op))
            return f"{_flag(left)} {kind.__name__} {value!r}", holds is (kind is type(op))
        case _:
            return _flag(test), holds


def _flag(test: ast.expr) -> str:
    """Return the name of a flag: of a variable or an attribute, or its key in a configuration."""
    match test:
        # `x.is_cuda` says where that tensor is, and nothing about the program.
        case ast.Attribute(value=owner, attr=name) if name in METADATA and not is_self(owner):
            return ""
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name
        case _:
            return ""
