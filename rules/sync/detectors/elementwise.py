"""Transfers between host and GPU of single elements, where one transfer would do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.tensors.batches import is_batch
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.def_use import ancestors
from torchlint.model.values.value_sets import HOST, Possibility, Tensor
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.dimensions import SIZED
from torchlint.pytorch.factories import OF_LISTS
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.views import BY_PARTS, ONE_ELEMENT
from torchlint.syntax.arguments import passed
from torchlint.syntax.exits import loops_of
from torchlint.syntax.indices import parts_of
from torchlint.syntax.iterated import sources_of
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import names_under

from .few_turns import are_few, is_handful, is_of_dict, runs_over_range
from .reads import WaitKind, reads
from .waiting import wait_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

Repeating: TypeAlias = "ast.comprehension | ast.For"

_OF_LISTS = frozenset(name.rpartition(".")[2] for name in OF_LISTS)
_READING: tuple[WaitKind, ...] = ("scalar", "copy", "branch")
_MATRIX = 2


@dataclass(frozen=True, slots=True)
class ElementTransfer:
    """A call that moves one element, and the loop or comprehension that repeats it."""

    place: Place
    source: Place
    is_upload: bool
    is_move: bool = False
    """Whether the elements are rows of a tensor on the host, which are moved one by one."""


def element_transfers(ev: Evaluator, file: ParsedFile) -> Iterator[ElementTransfer]:
    """Yield the transfers that are repeated for each element, one for each loop; without those of training steps.

    One in two loops, over rows and columns, is one transfer.
    """
    seen: set[object] = set()
    training = step_loops_of(ev.project)
    for transfer, repeating in (*_downloads(ev, file), *_uploads(ev, file), *_moves(ev, file)):
        parts = {repeating, transfer.place.key}
        if seen.isdisjoint(parts) and training.every_step(transfer.place) is None:
            seen |= parts
            yield transfer


def _downloads(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[ElementTransfer, Repeating]]:
    """Yield the reads of single elements of a tensor on a GPU: `[x.item() for x in scores]`."""
    for kind in _READING:
        for read in reads(file, kind):
            for repeating in _repeating(read.place):
                source = _source(read.place, repeating)
                if not _takes_elements(ev, read.tensor, repeating, source) or are_few(ev, read.place, source):
                    continue
                wait = wait_of(ev, read, kind)
                if wait is not None and wait.is_sure:
                    yield ElementTransfer(read.place, source, is_upload=False), repeating


def _source(place: Place, repeating: Repeating) -> Place:
    """Return the iterable of a loop, or of a comprehension in the statement of a place."""
    if isinstance(repeating, ast.For):
        return Place(place.file, repeating.iter, repeating)
    return place.at(repeating.iter)


def _takes_elements(ev: Evaluator, tensor: Place, repeating: Repeating, source: Place) -> bool:
    """Tell whether what is read is an element: of an iteration over a tensor, or an item of a tensor."""
    whole = _whole(tensor, repeating, source)
    return any(_is_gpu_tensor(ev, one) for one in whole)


def _whole(element: Place, repeating: Repeating, source: Place) -> Iterator[Place]:
    """Yield the tensors of an element: the iterable, or what is indexed by the counter."""
    names = names_under(repeating.target)
    match element.expression:
        case ast.Name(id=name) if name in names:
            yield from (one for one in _iterables(source) if not is_of_dict(one))
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in ONE_ELEMENT:
            yield from _whole(element.at(inner), repeating, source)
        case ast.Subscript(value=ast.Subscript() as inner, slice=ast.Constant()):
            yield from _whole(element.at(inner), repeating, source)
        case ast.Compare(left=left, comparators=others):
            for compared in (left, *others):
                yield from _whole(element.at(compared), repeating, source)
        case ast.Subscript(value=whole, slice=index) if runs_over_range(source) and _is_counted(index, names):
            yield element.at(whole)


def _is_counted(index: ast.expr, names: set[str]) -> bool:
    """Tell whether an index selects one element or row by a loop's counter: `x[i]`, `x[i, 0]`."""
    match index:
        case ast.Tuple(elts=parts):
            return any(_is_counted(part, names) for part in parts)
        case _:
            return isinstance(index, ast.Name) and index.id in names


def _is_gpu_tensor(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor that is on a device on all paths, where there is a GPU.

    One that may be anywhere is as often on the host: what is read from a file, or made for a sample.
    """
    possible = ev.project.evaluator(WITH_CUDA).evaluate(place)
    return bool(possible) and all(
        isinstance(one.value, Tensor) and one.value.device not in {HOST, None} for one in possible
    )


def _uploads(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[ElementTransfer, Repeating]]:
    """Yield the tensors that are made and moved one by one: `[torch.tensor(x).cuda() for x in rows]`."""
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        if callee_name(call) not in _OF_LISTS:
            continue
        moved = _moved(place)
        repeating = next((one for one in _repeating(place) if isinstance(one, ast.comprehension)), None)
        if repeating is None or not call.args or not names_under(repeating.target) & names_under(call.args[0]):
            continue
        # `x.to(device) if torch.is_tensor(x) else torch.tensor(x, device=device)`: for any argument of a caller.
        if any(isinstance(parent, ast.IfExp) for parent, _ in ancestors(place)):
            continue
        source = place.at(repeating.iter)
        if is_of_dict(source) or is_handful(ev, source) or _is_array(call.args[0]):
            continue
        # `torch.as_tensor(x)` leaves a tensor where it is.
        if moved is place and passed(call, "device") is None:
            continue
        if place.at(call.func).names & OF_LISTS and _is_gpu_tensor(ev, moved):
            yield ElementTransfer(moved, source, is_upload=True), repeating


def _is_array(data: ast.expr) -> bool:
    """Tell whether an element is an array with a size of its own, which gets a dimension: `clip["audio"][None]`."""
    return isinstance(data, ast.Subscript) and any(
        isinstance(part, ast.Constant) and part.value is None for part in parts_of(data.slice)
    )


def _moves(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[ElementTransfer, Repeating]]:
    """Yield the moves to the GPU of one row after the other of a tensor: `for row in rows: model(row.to(device))`."""
    for name in TO_GPU:
        for call, statement in file.index.calls(name):
            if not isinstance(call.func, ast.Attribute):
                continue
            place = Place(file, call, statement)
            for repeating in _repeating(place):
                source = _source(place, repeating)
                wholes = list(_whole(place.at(call.func.value), repeating, source))
                if any(_is_rows_on_host(ev, one) for one in wholes) and _is_on_gpu(ev, place):
                    yield ElementTransfer(place, source, is_upload=True, is_move=True), repeating
                    break


def _is_on_gpu(ev: Evaluator, place: Place) -> bool:
    possible = ev.project.evaluator(WITH_CUDA).evaluate(place)
    devices = [one.value.device if isinstance(one.value, Tensor) else None for one in possible]
    return bool(devices) and all(device is not None and device.kind == "cuda" for device in devices)


def _is_rows_on_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor of rows on the host; moves of its parts and batches are intended."""
    if isinstance(place.expression, ast.Call) and callee_name(place.expression) in BY_PARTS:
        return False
    possible = ev.evaluate(place)
    # What a loader yields may be a list of whole tensors.
    return bool(possible) and all(_is_of_rows(one) and not is_batch(ev, one) for one in possible)


def _is_of_rows(one: Possibility) -> bool:
    if not isinstance(one.value, Tensor) or one.value.device != HOST or one.origin is None:
        return False
    match one.origin.expression:
        case ast.Call(args=sizes) as call if callee_name(call) in SIZED:
            return len(sizes) == _MATRIX and all(isinstance(size, (ast.Constant, ast.Name)) for size in sizes)
        case ast.Call() as call:
            return callee_name(call) not in BY_PARTS
        case _:
            return True


def _moved(place: Place) -> Place:
    """Return the call that moves the result of a call, or that call itself: `torch.tensor(x).float().to(device)`."""
    found = place
    for parent, child in ancestors(place):
        if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is child):
            if isinstance(parent, ast.Call) and callee_name(parent) in TO_GPU:
                found = place.at(parent)
            continue
        break
    return found


def _repeating(place: Place) -> Iterator[Repeating]:
    """Yield what repeats a place within its function, innermost first."""
    index = place.file.index
    for parent, child in ancestors(place) if place.statement in index.binding else ():
        in_element = not isinstance(child, ast.comprehension)
        if isinstance(parent, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)) and in_element:
            yield from reversed(parent.generators)
        if isinstance(parent, ast.comprehension) and child in parent.ifs:
            yield parent
    yield from (loop for loop in loops_of(index, place.statement) if isinstance(loop, ast.For))


def _iterables(source: Place) -> Iterator[Place]:
    """Yield what is iterated over, through `zip` and `enumerate`."""
    return (source.at(one) for one in sources_of(source.expression))
