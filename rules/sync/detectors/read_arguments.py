"""Tensors where PyTorch and Python take a number: `x.sub(y, alpha=t)`, `x[:t]`, `torch.arange(t)`, `names[t]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.tensors.sure_tensors import is_surely_tensor
from torchlint.model.values.value_sets import HOST, Imported, Tensor, Unknown
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.number_arguments import NUMBER_ARGUMENTS, SAVING_ARGUMENTS, SPACES, NumberArgument
from torchlint.pytorch.old_overloads import FUNCTIONS, METHODS
from torchlint.syntax.arguments import has_open_keywords, has_star, passed
from torchlint.syntax.last_names import callee_name

from .indexed_lists import indices_in, is_index, takes_numbers

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_NAMES = sorted({name for row in NUMBER_ARGUMENTS for name in row.names} | {row.name for row in SAVING_ARGUMENTS})


def numbers_asked(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield the expressions of a file that read a number if their operand is a tensor, each with that."""
    yield from _in_calls(file)
    for subscript, statement in file.index.expressions(ast.Subscript):
        if isinstance(subscript.slice, (ast.Slice, ast.Tuple)):
            place = Place(file, subscript, statement)
            yield from ((place, place.at(one)) for one in _bounds(subscript.slice))
        for index in indices_in(subscript):
            yield Place(file, subscript, statement), Place(file, index, statement)
    for comparison, statement in file.index.expressions(ast.Compare):
        if len(comparison.ops) == 1 and isinstance(comparison.ops[0], (ast.In, ast.NotIn)):
            yield Place(file, comparison, statement), Place(file, comparison.left, statement)


def _in_calls(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    for name in _NAMES:
        for call, statement in file.index.calls(name):
            place = Place(file, call, statement)
            yield from ((place, place.at(one)) for one in _given(call))
    for call, statement in file.index.calls("clip_grad_norm_"):
        flag = passed(call, "error_if_nonfinite", 3)
        if isinstance(flag, ast.Constant) and flag.value is True:
            yield Place(file, call, statement), Place(file, flag, statement)


def _given(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that may be tensors, the items of a tuple singly."""
    for one in (*call.args, *(word.value for word in call.keywords if word.arg is not None)):
        yield from (part for part in _parts(one) if not isinstance(part, (ast.Constant, ast.Starred)))


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]


def _bounds(index: ast.expr) -> Iterator[ast.expr]:
    for part in _parts(index):
        if isinstance(part, ast.Slice):
            bounds = (part.lower, part.upper, part.step)
            yield from (one for one in bounds if one is not None and not isinstance(one, ast.Constant))


def reads_number(ev: Evaluator, place: Place, tensor: Place) -> bool:
    """Tell whether an expression surely reads a number from a tensor that is not known to be on the host."""
    match place.expression:
        case ast.Call(func=function) if callee_name(place.expression) == "clip_grad_norm_" and _is_flag(tensor):
            return _is_of_torch(ev, place.at(function))
        case ast.Call():
            return _asks(ev, place, tensor) and _may_be_off_host(ev, tensor)
        case ast.Compare(comparators=[container]):
            return _compares_each(ev, place.at(container)) and _may_be_off_host(ev, tensor)
        case ast.Subscript(value=indexed) if is_index(place.expression, tensor.expression):
            return takes_numbers(ev, place.at(indexed)) and _may_be_off_host(ev, tensor)
        case _:
            return _may_be_off_host(ev, tensor)


def _is_flag(tensor: Place) -> bool:
    return isinstance(tensor.expression, ast.Constant)


def _compares_each(ev: Evaluator, container: Place) -> bool:
    """Tell whether `in` compares with one number after the other: a set or dict reads the hash."""
    match container.expression:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return bool(items) and all(isinstance(one, ast.Constant) for one in items)
        case _:
            return _may_be_off_host(ev, container)


def _asks(ev: Evaluator, call: Place, tensor: Place) -> bool:
    """Tell whether a function of PyTorch, or a method of a tensor, takes a number for an argument."""
    node = call.expression
    assert isinstance(node, ast.Call)
    name = callee_name(node)
    if _is_of_torch(ev, call.at(node.func)):
        offset = 0
    elif isinstance(node.func, ast.Attribute) and _may_be_of_tensor(ev, call.at(node.func.value), node, tensor):
        offset = 1
    else:
        return False
    rows = (row for row in NUMBER_ARGUMENTS if name in row.names)
    if any(_is_at(node, tensor.expression, row, offset) for row in rows) or _costs(node, name, tensor, offset):
        return True
    return _is_scalar_of_old(node, name, tensor.expression, is_method=offset == 1)


def _is_scalar_of_old(call: ast.Call, name: str, argument: ast.expr, *, is_method: bool) -> bool:
    """Tell whether an argument is a scalar of an overload that takes it before the tensors: `x.add_(alpha, y)`."""
    count = len(call.args)
    keywords = METHODS.get((name, count)) if is_method else FUNCTIONS.get((f"torch.{name}", count))
    return keywords is not None and argument in call.args and call.args.index(argument) in keywords


def _is_at(call: ast.Call, argument: ast.expr, row: NumberArgument, offset: int) -> bool:
    """Tell whether an argument, or an item of it, is the one that is read as a number."""
    if any(word.arg == row.keyword and argument in _parts(word.value) for word in call.keywords):
        return True
    at = next((number for number, one in enumerate(call.args) if argument in _parts(one)), None)
    if at is None or row.position is None or has_star(call.args[:at]):
        return False
    position = row.position - offset
    return 0 <= position <= at if row.is_first else at == position and argument in call.args


def _costs(call: ast.Call, name: str, tensor: Place, offset: int) -> bool:
    """Tell whether a call reads an argument from the GPU because another one is not passed."""
    for row in SAVING_ARGUMENTS:
        asked = passed(call, row.input, row.position - offset) if row.name == name else None
        saving = passed(call, row.keyword, row.keyword_position - offset)
        if asked is tensor.expression and saving is None and not has_open_keywords(call):
            return True
    return False


def _is_of_torch(ev: Evaluator, function: Place) -> bool:
    names = [canonical(one.value.name) if isinstance(one.value, Imported) else "" for one in ev.evaluate(function)]
    return bool(names) and all(name.rpartition(".")[0] in SPACES for name in names)


def _may_be_of_tensor(ev: Evaluator, owner: Place, call: ast.Call, argument: Place) -> bool:
    """Tell whether a method is that of a tensor; only tensors have one with such a keyword, `alpha=`."""
    values = [one.value for one in ev.evaluate(owner)]
    if any(word.value is argument.expression for word in call.keywords):
        return all(isinstance(one, (Tensor, Unknown)) for one in values)
    return bool(values) and all(isinstance(one, Tensor) for one in values)


def _may_be_off_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is surely a tensor, and one that may be on a GPU."""
    on_host = (isinstance(one.value, Tensor) and one.value.device == HOST for one in ev.evaluate(place))
    return is_surely_tensor(ev, place) and not any(on_host)
