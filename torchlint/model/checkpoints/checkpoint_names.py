"""What distinguishes the file of a checkpoint from others."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.model.values.folding import LONGEST
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Literal
from torchlint.syntax.around import class_around, is_self
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".tar", ".pkl")
_PERCENT = re.compile(r"%[-+ #0]*[\d*]*(\.\d+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[a-zA-Z]{3}")


def names_of_file(ev: Evaluator, path: Place) -> frozenset[str]:
    """Return what identifies a file: its path if that is known, the object that has it."""
    values = [one.value.value for one in ev.evaluate(path) if isinstance(one.value, Literal)]
    names = {f"={value.rpartition('/')[2]}" for value in values if isinstance(value, str) and value}
    names |= {f"@{one.origin.key}" for one in ev.evaluate(path) if one.origin is not None}
    for node in walk(path.expression):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(_SUFFIXES):
            names.add(f"={node.value.rpartition('/')[2]}")
    match path.expression:
        case ast.Attribute():
            names.add(f"{path.path}:{path.code}")
        case ast.Name(id=name) if path.scope.bindings.get(name):
            names.add(f"{path.path}:{path.scope.qualified_name}:{name}")
    return frozenset(names)


_UNNAMED: str | None = None


def file_name(ev: Evaluator, path: Place) -> str | None:
    """Return the name of a file, without its folder, if there is only one; None if there may be another."""
    name = file_names(ev, path)
    return name if name is not None and "*" not in name else None


@tabled(_UNNAMED)
def file_names(ev: Evaluator, path: Place) -> str | None:
    """Return the name of a file, or a pattern for those of a folder: `data/*.pt` of `f"data/{split}.pt"`."""
    node = path.expression
    match node:
        case ast.Constant(value=str(text)):
            return re.split(r"[/\\]", text)[-1] or None
        case _ if (pattern := _text_pattern(node)) is not None:
            return _formatted(pattern)
        case ast.Call(func=ast.Attribute(attr="join"), args=[_, *_, last]) | ast.BinOp(op=ast.Div(), right=last):
            return file_names(ev, path.at(last))
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=str(text))) if "/" in _end(left) + text:
            return text.rpartition("/")[2] or None
        case ast.Name(id=name):
            named = _bound(path, name)
            return file_names(ev, named) if named is not None else None
        case _:
            return None


def may_be_one_file(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether two paths may be of files with one name, as far as their names are known."""
    names = _name_pattern(ev, one), _name_pattern(ev, other)
    if "*" not in names[0] or "*" not in names[1]:
        return any(_matches(name, pattern) for name, pattern in (names, names[::-1]))
    starts, ends = ([name.split("*")[end] for name in names] for end in (0, -1))
    is_one_start = starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])
    return is_one_start and (ends[0].endswith(ends[1]) or ends[1].endswith(ends[0]))


def _matches(name: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def _name_pattern(ev: Evaluator, path: Place) -> str:
    """Return the name of a file, with a star for each unknown part: `epoch_*.pt`."""
    return _path_pattern(ev, path).rpartition("/")[2]


@tabled("*")
def _path_pattern(ev: Evaluator, path: Place) -> str:
    match path.expression:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            pattern = _path_pattern(ev, path.at(left)) + _path_pattern(ev, path.at(right))
            return pattern if len(pattern) <= LONGEST else "*"
        case ast.Call(func=ast.Attribute(attr="join"), args=[_, *_, last]) | ast.BinOp(op=ast.Div(), right=last):
            return f"*/{_path_pattern(ev, path.at(last)).removeprefix('*/')}"
        case ast.Name(id=name) if (named := _bound(path, name)) is not None:
            return _path_pattern(ev, named)
        case node:
            return _text_pattern(node) or "*"


def _text_pattern(node: ast.expr) -> str | None:
    """Return a text as it is written, with a star for each formatted value; None if it is none."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_as_filled(value) for value in values)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return _PERCENT.sub("*", text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _BRACES.sub("*", text)
        case _:
            return None


def path_of_object(path: Place) -> str | None:
    """Return what identifies a file whose path an object was made with: `Trainer.path` of `self.path`."""
    kind = class_around(path)
    match path.expression:
        case ast.Attribute(value=owner, attr=name) if is_self(owner) and kind is not None:
            stores = path.file.index.attribute_stores(name)
            scopes = {path.file.index.home[store.statement][0].scope for store in stores}
            is_given_once = len(stores) == 1 and all(one.name == "__init__" and one.outer is kind for one in scopes)
            return f"{kind.name}.{name}" if is_given_once else None
        case _:
            return None


def _as_filled(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "*"


def _formatted(text: str) -> str | None:
    """Return the name in a text with a star for each formatted value, if enough of it is constant."""
    folder, _, name = text.rpartition("/")
    if "*" not in name:
        return name or None
    if folder and "*" not in folder:
        return text if name.strip("*") else None
    return name if _WORD.search(name.rpartition(".")[0]) else None


def _end(node: ast.expr) -> str:
    """Return the last character of a text, as far as it is constant."""
    match node:
        case ast.Constant(value=str(text)) | ast.BinOp(op=ast.Add(), right=ast.Constant(value=str(text))):
            return text[-1:]
        case _:
            return ""


def _bound(path: Place, name: str) -> Place | None:
    """Return the only value of a name: what it is assigned, or what the call in the frame passes."""
    bindings = path.scope.bindings.get(name, ())
    if len(bindings) != 1:
        return None
    binding = bindings[0]
    if binding.kind == "assign" and binding.value is not None and not binding.selector:
        return Place(path.file, binding.value, binding.statement, path.frame, path.given)
    parameter = next((one for one in path.scope.parameters if one.name == name), None)
    frame = path.frame
    if parameter is None or frame is None or frame.call is None or frame.function is not path.scope:
        return None
    passed = Caller.of_frame(frame, frame.call).argument(parameter)
    return passed[0] if passed is not None and len(passed) == 1 and not parameter.star else None
