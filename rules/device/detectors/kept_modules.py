"""Modules that are never moved off the host: made in view, and only used in ways that leave them where they are.

Each use of the module is followed, through names, attributes, lists and arguments. After one that is not known to leave
it in place, it may be anywhere.
"""

from __future__ import annotations

import ast
import re
from enum import Enum
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.place import Caller, Place
from torchlint.model.values.def_use import Use, ancestors, every_use_of
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Imported, Instance, Possibility
from torchlint.pytorch.companions.torchmetrics import IN_PLACE
from torchlint.pytorch.layers import SIZES
from torchlint.pytorch.module_attributes import LEAVES_IN_PLACE
from torchlint.pytorch.moves import SAME_MODULE
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import class_around, is_self
from torchlint.syntax.walk import walk

from .modules_made import has_tensors, is_made_on_host
from .replaced_weights import may_bring_device, may_move_by_type
from .running_after import runs_after

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MOVED_DATA = re.compile(r"\.data\s*=.*\.(to|cuda)\(")
# Ways to find an attribute without its name.
_BY_ANY_NAME = ("__dict__", "vars(", "getattr(", "setattr(")
_ASKING = frozenset(f"builtins.{name}" for name in ("print", "isinstance", "len", "type", "id", "repr", "str"))

_LEAVING = LEAVES_IN_PLACE | IN_PLACE
_PASSING_ON = SAME_MODULE | {"values", "items"}


class _Fate(Enum):
    """What becomes of a module at a read."""

    STAYS = "it is what the expression is"
    GIVEN = "a function of the project is given it"
    ASKED = "it is called, or asked for something: what the expression is, is another value"
    LOST = "somebody may move it"


def stays_in_view(ev: Evaluator, module: Possibility, call: Place) -> bool:
    """Tell whether a module with parameters is made on the host in view, and not moved before it is called."""
    made = module.origin
    if made is None or not isinstance(made.expression, ast.Call) or not has_tensors(ev, module):
        return False
    # Only a call beside it can come before all that may happen to it.
    until = call.statement if made.scope is call.scope else None
    return is_made_on_host(ev, module, made) and _stays(ev, made, until)


@tabled(False)
def _stays(ev: Evaluator, made: Place, until: ast.stmt | None) -> bool:
    uses = every_use_of(ev, made)
    if uses is None:
        return False
    fates: dict[int, _Fate] = {}
    for use in uses:
        is_other = _is_of_result(use, fates) or _is_key(use.place)
        is_over = is_other or (until is not None and runs_after(use.place, until, made))
        fate = fates[id(use)] = _Fate.ASKED if is_over else _fate(ev, use)
        if fate is _Fate.LOST or (fate is _Fate.STAYS and not _is_bound_in_view(ev, use.place)):
            return False
    files = {use.place.file for use in uses}
    return not any(_MOVED_DATA.search(file.code) for file in files)


def _is_key(place: Place) -> bool:
    """Tell whether a name is the key of an item: `name` of `for name, metric in metrics.items()`."""
    bound = place.scope.bindings.get(place.expression.id, ()) if isinstance(place.expression, ast.Name) else ()
    return bool(bound) and all(one.selector == (0,) and _gives_items(one.value) for one in bound)


def _gives_items(iterated: ast.expr | None) -> bool:
    return isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute) and iterated.func.attr == "items"


def _is_of_result(use: Use, fates: dict[int, _Fate]) -> bool:
    """Tell whether what is read is not the module any more: an attribute of it, or the result of a call with it."""
    if use.before is None:
        return False
    before = fates[id(use.before)]
    return before is _Fate.ASKED or (before is _Fate.GIVEN and use.before.is_whole and not use.is_whole)


_HOLDING = (ast.keyword, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)
"""Values that are the module itself, or hold it."""


def _fate(ev: Evaluator, use: Use) -> _Fate:
    child_of_method = False
    for parent, child in ancestors(use.place):
        if isinstance(parent, ast.stmt):
            break
        if child_of_method:
            child_of_method = False  # the call of `net.eval()`, which returns the module, or of `metrics.values()`
        elif isinstance(parent, ast.Attribute) and may_move_by_type(ev, use.place, parent):
            return _Fate.LOST
        elif isinstance(parent, ast.Attribute) and parent.attr in _PASSING_ON and _is_called(use.place, parent):
            child_of_method = True
        elif (fate := _by_parent(ev, use.place, parent, child)) is not _Fate.STAYS:
            return fate
    return _Fate.STAYS


def _by_parent(ev: Evaluator, place: Place, parent: ast.AST, child: ast.AST) -> _Fate:
    """Return what an expression does with the module in one of its parts."""
    match parent:
        case ast.Attribute(attr=name):
            return _Fate.ASKED if _leaves_in_place(ev, place, parent, name) else _Fate.LOST
        case ast.Call(func=function):
            return _Fate.ASKED if function is child else _given(ev, place.at(parent), child)
        case ast.comprehension(iter=source) if source is child:
            return _taken_apart(ev, place, parent)
        case ast.Compare() | ast.FormattedValue() | ast.UnaryOp():
            return _Fate.ASKED
        case ast.Subscript(value=value):
            return _Fate.STAYS if value is child else _Fate.LOST
        case _:
            return _Fate.STAYS if isinstance(parent, _HOLDING) else _Fate.LOST


def _is_called(place: Place, method: ast.Attribute) -> bool:
    parent = place.file.parents_in(place.statement).get(method)
    return isinstance(parent, ast.Call) and parent.func is method


def _leaves_in_place(ev: Evaluator, place: Place, read: ast.Attribute, name: str) -> bool:
    last = _part_of(place, read)
    if isinstance(last.ctx, ast.Store):
        return not may_bring_device(ev, place)  # `net.fc = nn.Linear(net.fc.in_features, 2)`
    if last is not read and isinstance(last, ast.Attribute) and last.attr in _LEAVING | SIZES:
        return True
    call = place.file.parents_in(place.statement).get(read)
    return name in _LEAVING and not (isinstance(call, ast.Call) and passed(call, "assign") is not None)


def _part_of(place: Place, read: ast.Attribute) -> ast.Attribute | ast.Subscript:
    """Return the part of a module that an attribute begins with: `net.fc[0].in_features` of `net.fc`."""
    parents = place.file.parents_in(place.statement)
    found: ast.Attribute | ast.Subscript = read
    while isinstance(outer := parents.get(found), (ast.Attribute, ast.Subscript)) and outer.value is found:
        found = outer
    return found


def _given(ev: Evaluator, call: Place, argument: ast.AST) -> _Fate:
    """Return what becomes of a module that is an argument: a function of the project is followed."""
    assert isinstance(call.expression, ast.Call)
    callees = [one.value for one in ev.evaluate(call.at(call.expression.func))]
    if callees and all(isinstance(one, Imported) and one.name in _ASKING for one in callees):
        return _Fate.ASKED
    value = argument.value if isinstance(argument, ast.keyword) else argument
    functions = tuple(callees_of(ev, call))
    is_known = bool(functions) and all(isinstance(one, (Function, Class)) for one in callees)
    return _Fate.GIVEN if is_known and all(_takes(call, one, value) for one in functions) else _Fate.LOST


def _takes(call: Place, function: Function, value: ast.AST) -> bool:
    """Tell whether a function has a parameter of its own for an argument."""
    caller = Caller.of_call(call, 1 if function.scope.is_method else 0)
    return any(
        not parameter.star and any(one.expression is value for one in caller.argument(parameter) or ())
        for parameter in function.scope.parameters
    )


def _taken_apart(ev: Evaluator, place: Place, source: ast.comprehension) -> _Fate:
    """Return what becomes of the modules of a list in a comprehension over it."""
    around = place.file.parents_in(place.statement)[source]
    target = source.target
    if isinstance(target, ast.Tuple) and _gives_items(source.iter):
        target = target.elts[-1]
    names = {node.id for node in walk(target) if isinstance(node, ast.Name)}
    reads = (
        node
        for node in ast.walk(around)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
    )
    fates = {_fate(ev, Use(place.at(node), False)) for node in reads}
    return _Fate.ASKED if fates <= {_Fate.ASKED} else _Fate.LOST


def _is_bound_in_view(ev: Evaluator, place: Place) -> bool:
    """Tell whether a statement only binds a module to a local name, or stores it."""
    match place.statement:
        case ast.Assign(targets=targets):
            return all(_is_in_view(ev, place, target) for target in targets)
        case ast.AnnAssign(target=target):
            return _is_in_view(ev, place, target)
        case ast.Expr() | ast.Return() | ast.If() | ast.For() | ast.While() | ast.Assert() | ast.Delete():
            return True
        case _:
            return False


def _is_in_view(ev: Evaluator, place: Place, target: ast.expr) -> bool:
    match target:
        case ast.Name(id=name):
            return place.scope.kind == "function" or not _is_read_elsewhere(ev, place.file, name)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_in_view(ev, place, part) for part in parts)
        case ast.Subscript(value=ast.Name()):
            return True
        case ast.Attribute(value=owner, attr=name) if is_self(owner):
            return _keeps_to_itself(ev, place, name)
        case _:
            return False


def _is_read_elsewhere(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    """Tell whether another file may import a name of this one."""
    return any(_others(ev, file, word) & _others(ev, file, name) for word in file.words)


def _others(ev: Evaluator, file: ParsedFile, text: str) -> set[object]:
    return {path for path in ev.project.library.holding(text) if path != file.location}


def _keeps_to_itself(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether an object is no module, which moves its parts, and its file alone reads a part of it."""
    scope = class_around(place)
    if scope is None:
        return False
    kind = Class(place.file, scope)
    bases = list(family(ev, kind))
    if is_module(ev, Instance(kind)) or any(isinstance(base, str) and base != "builtins.object" for base in bases):
        return False
    code = "".join(base.file.code_of(base.scope.node) for base in bases if isinstance(base, Class))
    if any(word in code for word in _BY_ANY_NAME):
        return False
    return not _others(ev, place.file, f".{name}") & _others(ev, place.file, kind.scope.name)
