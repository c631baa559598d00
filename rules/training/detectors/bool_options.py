"""Options of the type `bool`, which the text `False` turns on: `bool("False")` is true.

https://docs.python.org/3/library/argparse.html#type
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.calls import Call
from torchlint.model.guards.catching import is_in_try
from torchlint.model.options.option_calls import destination
from torchlint.model.place import Place
from torchlint.model.tensors.sure_tensors import is_surely_tensor
from torchlint.model.values.def_use import Use, ancestors, uses_of
from torchlint.model.values.value_sets import Options, Possibility
from torchlint.pytorch.moves import TO_GPU
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_TORCH = ("torch.", "torchvision.", "torchaudio.")


@dataclass(frozen=True, slots=True)
class BoolOption:
    """An option of the type `bool`, and where PyTorch gets its value, or is called or not because of it."""

    option: Call
    kind: Place
    use: Place

    @property
    def name(self) -> str:
        """Return the option as the user writes it."""
        words = [one.value for one in self.option.expression.args if isinstance(one, ast.Constant)]  # type: ignore[attr-defined]
        return next((str(word) for word in words if str(word).startswith("--")), "")


def bool_options(ev: Evaluator, file: ParsedFile) -> Iterator[BoolOption]:
    """Yield the options of a file that are of the type `bool`, and decide something of PyTorch's."""
    for expression, statement in file.index.calls("add_argument"):
        option = Call(file, expression, statement)
        kind = option.keywords.get("type")
        if kind is None or kind.names != {"builtins.bool"} or "choices" in option.keywords or is_in_try(option):
            continue
        found = BoolOption(option, kind, kind)
        if found.name and (use := _use(ev, option, destination(expression))) is not None:
            yield BoolOption(option, kind, use)


def _use(ev: Evaluator, option: Call, name: str) -> Place | None:
    """Return where PyTorch gets the value of an option, or is called or not because of it."""
    for read in _reads(ev, option, name):
        for use in uses_of(ev, read):
            if use.is_whole and _decides(ev, use):
                return use.place
    return None


def _reads(ev: Evaluator, option: Call, name: str) -> Iterator[Place]:
    """Yield the reads of an option in the programs that parse it, those of its own file first."""
    paths = sorted(ev.project.library.holding(f".{name}"), key=lambda path: (path != option.file.location, path))
    files = (file for path in paths if (file := ev.project.parsed(path)) is not None)
    for file in (one for one in files if may_share_program(ev, option.file, one)):
        for node, statement in file.attribute_reads(name):
            read = Place(file, node, statement)
            if any(_may_hold(one, option, name) for one in ev.evaluate(read.at(node.value))):
                yield read


def _may_hold(parsed: Possibility, option: Call, name: str) -> bool:
    """Tell whether something may be the options of a parser; a file that declares one by that name parses its own."""
    if not isinstance(parsed.value, Options):
        return False
    parsing = parsed.origin.file if parsed.origin is not None else option.file
    if parsing is option.file:
        return True
    return all(destination(call) != name for call, _ in parsing.index.calls("add_argument"))


def _decides(ev: Evaluator, use: Use) -> bool:
    """Tell whether a call of PyTorch gets a value, or is made or not because of it."""
    place = use.place
    for parent, child in ancestors(place):
        match parent:
            case ast.Call() if child is not parent.func:
                return _is_of_torch(ev, place, parent)
            case ast.IfExp(test=test) if test is child and _has_call_of_torch(ev, place, parent):
                return True
            case ast.BoolOp() if _has_call_of_torch(ev, place, parent):
                return True
            case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=True | False)]):
                continue
            case ast.Compare() | ast.BinOp() | ast.JoinedStr() | ast.Subscript():
                return False
    return isinstance(place.statement, ast.If) and _has_call_of_torch(ev, place, place.statement)


def _has_call_of_torch(ev: Evaluator, place: Place, node: ast.AST) -> bool:
    return any(isinstance(one, ast.Call) and _is_of_torch(ev, place, one) for one in walk(node))


def _is_of_torch(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a call is one of PyTorch's or a tensor's, or moves something to a GPU."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in TO_GPU:
        return True
    function = place.at(call.func)
    return any(name.startswith(_TORCH) for name in function.names) or _is_of_tensor(ev, function)


def _is_of_tensor(ev: Evaluator, function: Place) -> bool:
    owner = function.owner
    return owner is not None and is_surely_tensor(ev, owner)
