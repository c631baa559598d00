"""Which module of a Sequential runs last: the Sequential returns its output."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, items_put_into
from torchlint.model.containers.named_modules import is_mapping
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import UNKNOWN, Built, Display, Possibility, ValueSet
from torchlint.pytorch.symbols import SEQUENTIAL
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_TAKING = ("pop", "remove", "clear", "insert", "reverse")


def run_last(ev: Evaluator, container: Possibility) -> ValueSet:
    """Return the modules one of which a Sequential runs last, unknown if that is open."""
    made = container.origin
    if container.value != Built(SEQUENTIAL) or made is None or not isinstance(made.expression, ast.Call):
        return UNKNOWN
    if made.expression.keywords or _is_cut(ev, container, made.file):
        return UNKNOWN
    first = _last_of(ev, [made.at(one) for one in made.expression.args])
    return _with_added(ev, made, first)


def _last_of(ev: Evaluator, items: list[Place]) -> ValueSet:
    """Return the value of the last of several arguments or items."""
    if not items:
        return UNKNOWN
    last = items[-1]
    if isinstance(last.expression, ast.Starred):
        return _end(ev, last.at(last.expression.value))
    found = ev.evaluate(last)
    is_only = len(items) == 1
    return either(*(_named_last(ev, one) if is_only and is_mapping(one.value) else (one,) for one in found))


@tabled(UNKNOWN)
def _end(ev: Evaluator, sequence: Place) -> ValueSet:
    """Return the last item of a list that is unpacked or concatenated: `*layers`."""
    match sequence.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return _last_of(ev, [sequence.at(item) for item in items])
        case ast.Name() if (made := _listed_as(sequence)) is not None:
            assert isinstance(made.expression, ast.List)
            first = _last_of(ev, [made.at(item) for item in made.expression.elts])
            return _with_added(ev, made, first, until=sequence.line)
        case _:
            return UNKNOWN


def _listed_as(sequence: Place) -> Place | None:
    """Return the list that a name of the same function is assigned once, and that nothing is ever removed from."""
    name = sequence.word
    bindings = [one for one in sequence.scope.bindings.get(name, ()) if one.kind != "augment"]
    if len(bindings) != 1 or not isinstance(bindings[0].value, ast.List) or bindings[0].selector:
        return None
    taking = (call.func for word in _TAKING for call, _ in sequence.file.index.calls(word))
    if any(isinstance(one, ast.Attribute) and written(one.value) == name for one in taking):
        return None
    return Place(sequence.file, bindings[0].value, bindings[0].statement, sequence.frame, sequence.given)


def _with_added(ev: Evaluator, made: Place, first: ValueSet, until: int | None = None) -> ValueSet:
    """Return the last item of a container, from that of its display and what is added later."""
    added = [pair for pair in added_to(made) if until is None or pair[0].line < until]
    found: list[ValueSet] = []
    for one, is_whole in sorted(added, key=lambda pair: pair[0].line, reverse=True):
        found.append(_end(ev, one) if is_whole else ev.evaluate(one))
        if _is_sure(made, one):
            break
    else:
        found.append(first)
    return UNKNOWN if any(True for _ in items_put_into(made)) else either(*found)


def _is_sure(made: Place, added: Place) -> bool:
    """Tell whether what adds to a container surely runs after what makes it."""
    home = made.file.index.home
    return home[made.statement][0] is home[added.statement][0] and added.line > made.line


def _named_last(ev: Evaluator, mapping: Possibility) -> ValueSet:
    """Return the last of the modules of a dict display, or of an `OrderedDict` of pairs."""
    made = mapping.value.place if isinstance(mapping.value, Display) else mapping.origin
    if made is None or any(True for _ in items_put_into(made)):
        return UNKNOWN
    match made.expression:
        case ast.Dict(values=[*_, last]):
            return ev.evaluate(made.at(last))
        case ast.Call(args=[ast.List(elts=[*_, ast.Tuple(elts=[_, last])])], keywords=[]):
            return ev.evaluate(made.at(last))
        case ast.Call(args=[ast.Dict(values=[*_, last])], keywords=[]):
            return ev.evaluate(made.at(last))
        case _:
            return UNKNOWN


def _is_cut(ev: Evaluator, container: Possibility, file: ParsedFile) -> bool:
    """Tell whether the file takes a slice of a Sequential, `net[:-1]`, which has the same value."""
    for node, statement in file.index.expressions(ast.Subscript):
        if isinstance(node.slice, ast.Slice):
            found = ev.evaluate(Place(file, node.value, statement))
            if any(one.origin is container.origin or one == container for one in found):
                return True
    return False
