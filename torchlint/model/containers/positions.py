"""Where the item at a position of a list is made, and how many there are: loops over devices make one on each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, kept_as
from torchlint.model.place import Place
from torchlint.model.values.iterations import in_iteration
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Display, Iterator, Literal, Possibility, Tuple
from torchlint.pytorch.symbols import MODULE_LIST, SEQUENTIAL
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import jumps
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_REORDERING = ("shuffle", "reverse", "sort", "insert", "pop", "remove")
_SAME_LENGTH = frozenset({"list", "tuple", "iter", "reversed", "sorted", "enumerate"})
_NO_LENGTH: int | None = None
_MOST_KEYS = 8


def made_at(display: Place, position: int) -> Place | None:
    """Return what makes the item at a position of a display, in its iteration; None if that is unknown."""
    match display.expression:
        case ast.List(elts=[]) | ast.Call(args=[]):
            return _added_at(display, position)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return (
                display.at(items[position]) if position < len(items) and not has_star(items[: position + 1]) else None
            )
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
            loop = _only_loop(display)
            return in_iteration(display.at(element), loop, position) if loop is not None else None
        case _:
            return None


def made_under(ev: Evaluator, display: Place, key: object) -> Place | None:
    """Return what makes the value under a key in a comprehension of a dict, in its iteration."""
    match display.expression:
        case ast.DictComp(key=name, value=value, generators=[ast.comprehension(ifs=[]) as loop]) if key is not None:
            for number in range(min(length(ev, display.at(loop.iter)) or 0, _MOST_KEYS)):
                if _is(ev, in_iteration(display.at(name), loop.iter, number), key):
                    return in_iteration(display.at(value), loop.iter, number)
            return None
        case _:
            return None


def _is(ev: Evaluator, place: Place, key: object) -> bool:
    values = [one.value for one in ev.evaluate(place)]
    return len(values) == 1 and isinstance(values[0], Literal) and values[0].value == key


def _only_loop(display: Place) -> ast.expr | None:
    """Return what a comprehension goes through, if each iteration makes an item."""
    match display.expression:
        case ast.ListComp(generators=[ast.comprehension(ifs=[]) as loop]):
            return loop.iter if _is_in_order(display) else None
        case ast.GeneratorExp(generators=[ast.comprehension(ifs=[]) as loop]):
            return loop.iter
        case _:
            return None


def _added_at(display: Place, position: int) -> Place | None:
    """Return what a loop adds to an empty list in an iteration."""
    added, loop = _adding(display)
    return in_iteration(added, loop.iter, position) if added is not None and loop is not None else None


def _adding(display: Place) -> tuple[Place, ast.For] | tuple[None, None]:
    """Return what each iteration of a loop adds to an empty list, and the loop, if nothing else adds to it."""
    added = list(added_to(display))
    if len(added) != 1 or added[0][1] or not _is_in_order(display):
        return None, None
    place = added[0][0]
    loop = next(iter(loops_around(place)), None)
    is_each = isinstance(loop, ast.For) and place.statement in loop.body and place.scope is display.scope
    if not isinstance(loop, ast.For) or not is_each or loop in loops_around(display) or _may_end(place, loop):
        return None, None
    return place, loop


def _may_end(place: Place, loop: ast.For) -> bool:
    """Tell whether an iteration may end before all is done."""
    index = place.file.index
    return any(next(jumps(index, loop, kind), None) is not None for kind in (ast.Break, ast.Continue))


def _is_in_order(display: Place) -> bool:
    """Tell whether no item of a list changes its position."""
    name = kept_as(display)
    methods = (call for one in _REORDERING[1:] for call in display.file.method_calls_on(name or "", one))
    return next(methods, None) is None and not display.file.index.calls(_REORDERING[0])


@tabled(_NO_LENGTH)
def length(ev: Evaluator, source: Place) -> int | None:
    """Return how often a loop over an expression iterates, None if that is unknown."""
    possible = ev.evaluate(source)
    return _length_of(ev, possible[0]) if len(possible) == 1 else None


def _length_of(ev: Evaluator, one: Possibility) -> int | None:
    match one.value:
        case Tuple(items=items):
            return len(items)
        case Display(place=display):
            return length_of_display(ev, display)
        case Built(name=name) if name in {MODULE_LIST, SEQUENTIAL} and one.origin is not None:
            return _of_container(ev, one.origin)
        case Iterator() if one.origin is not None and isinstance(one.origin.expression, ast.Call):
            return _of_call(ev, one.origin, one.origin.expression)
        case Iterator() if one.origin is not None and (start := skipped(one.origin)) is not None:
            assert isinstance(one.origin.expression, ast.Subscript)
            whole = length(ev, one.origin.at(one.origin.expression.value))
            return max(whole - start, 0) if whole is not None else None
        case _:
            return None


def _of_container(ev: Evaluator, made: Place) -> int | None:
    """Return how many modules a container is made of: `nn.ModuleList([…])`, or one that a loop fills."""
    match made.expression:
        case ast.Call(args=[]):
            return length_of_display(ev, made)
        case ast.Call(args=[given]):
            return length(ev, made.at(given)) if next(added_to(made), None) is None else None
        case _:
            return None


def skipped(place: Place) -> int | None:
    """Return how many items a slice leaves out, all of them at the start: 1 for `gpus[1:]`; None for any other."""
    match place.expression:
        case ast.Subscript(slice=ast.Slice(lower=ast.Constant(value=int(start)), upper=None, step=None)) if start >= 0:
            return start
        case _:
            return None


def length_of_display(ev: Evaluator, display: Place) -> int | None:
    """Return how many items a display has, None if that is unknown."""
    if (loop := _only_loop(display)) is not None:
        return length(ev, display.at(loop)) if next(added_to(display), None) is None else None
    match display.expression:
        case ast.List(elts=[]) | ast.Call(args=[]):
            added, around = _adding(display)
            return length(ev, added_before(added, around)) if added is not None and around is not None else None
        case ast.List(elts=items) | ast.Tuple(elts=items) if not has_star(items):
            return len(items) if next(added_to(display), None) is None else None
        case _:
            return None


def added_before(added: Place, loop: ast.For) -> Place:
    """Return what a loop goes through that adds something."""
    return Place(added.file, loop.iter, loop, added.frame, added.given)


def _of_call(ev: Evaluator, place: Place, call: ast.Call) -> int | None:
    match callee_name(call), call.args:
        case "range", ends:
            numbers = [_number(ev, place.at(end)) for end in ends]
            known = [one for one in numbers if one is not None]
            return len(range(*known)) if len(known) == len(numbers) and 0 not in known[2:] else None
        case "zip", columns:
            # Columns of another length than the rest are hardly ever zipped.
            lengths = [one for column in columns if (one := length(ev, place.at(column))) is not None]
            return min(lengths, default=None)
        case name, [source, *_] if name in _SAME_LENGTH:
            return length(ev, place.at(source))
        case _:
            return None


def _number(ev: Evaluator, place: Place) -> int | None:
    match place.expression:
        case ast.Call(func=ast.Name(id="len"), args=[sequence]):
            return length(ev, place.at(sequence))
        case _:
            return constant(ev, place)


def constant(ev: Evaluator, place: Place) -> int | None:
    """Return the number that an expression surely is, None if there is none."""
    match [one.value for one in ev.evaluate(place)]:
        case [Literal(value=int(number))]:
            return number
        case _:
            return None
