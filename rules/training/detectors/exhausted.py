"""Generators of parameters that are bound to a name and iterated over twice: the second time they are exhausted.

`module.parameters()` is a generator. An optimizer that receives an exhausted one raises, `clip_grad_norm_` warns and
clips nothing, and a `for` loop has no iterations. Checked on torch 2.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.place import Place
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Unknown
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.clipping import CLIPPING
from torchlint.pytorch.module_attributes import TENSORS_OF, YIELDING
from torchlint.pytorch.roles import Role
from torchlint.syntax.around import is_self
from torchlint.syntax.exits import LOOPS, first_leaving, jumps, loops_of
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.reaching_definitions import reaching

from .iteration_order import home_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_LAZY = frozenset({"filter", "map", "zip", "iter", "enumerate", "chain", "from_iterable", "islice"})
_USING_UP = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "max", "min"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class Exhausted:
    """A use of an exhausted generator of parameters; the first use may be the same one in the previous iteration."""

    place: Place
    made: Place
    first: Place


def exhausted(ev: Evaluator, file: ParsedFile) -> Iterator[Exhausted]:
    """Yield where a file uses an exhausted generator, each place once."""
    seen: set[ast.expr] = set()
    for call in method_calls_of(file, YIELDING):
        match call.statement:
            case (
                ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.expr() as value)
            ):
                if value not in seen and _yields(value, call) and (shown := _shown(ev, value, call)) != "other":
                    seen.add(value)
                    yield from _used_again(ev, call.at(value), call.at(target), shown)


def _yields(value: ast.expr, call: Call) -> bool:
    """Tell whether what is bound is a generator over the result of a call."""
    match value:
        case ast.Call() if value is call.expression:
            return True
        case ast.Call() if callee_name(value) in _LAZY:
            return any(_yields(argument, call) for argument in value.args)
        case ast.Lambda():
            return False
        case ast.GeneratorExp(generators=[first, *_]):
            return _yields(first.iter, call)
        case _:
            return False


def _shown(ev: Evaluator, value: ast.expr, call: Call) -> Literal["generator", "maybe", "other"]:
    """Return whether a value is a generator, also if only the method's name says so; any object may have a `children`.

    A method of the project may return a list; what `filter` makes of that is exhausted as well.
    """
    owner = call.owner
    if owner is None or call.arguments or next(iter(callees_of(ev, call)), None) is not None:
        return "other"
    if ev.is_module(owner):
        return "generator"
    if not all(isinstance(one.value, Unknown) or is_module(ev, one.value) for one in ev.evaluate(owner)):
        return "other"
    if value is not call.expression:
        return "generator"
    is_defined = len(ev.project.library.holding(f"def {call.method}(")) > 0
    return "maybe" if call.method in TENSORS_OF and not is_defined else "other"


def _used_again(ev: Evaluator, made: Place, target: Place, shown: str) -> Iterator[Exhausted]:
    """Yield the uses of a name or attribute that find it exhausted."""
    uses = [one for one in _reads(ev, made, target) if _uses_up(one)]
    # Only parameters of a module go to an optimizer, as far as a project shows that defines no such method.
    if shown == "maybe" and not any(map(_is_optimized, uses)):
        return
    for use in sorted(uses, key=lambda one: (one.line, one.span.column)):
        first = next((one for one in uses if _comes_first(one, use, made)), None)
        if first is None and _is_repeated(ev, use, made):
            first = use
        if first is not None:
            yield Exhausted(use, made, first)


def _reads(ev: Evaluator, made: Place, target: Place) -> Iterator[Place]:
    """Yield the reads of a name or attribute that surely see what it was bound to here."""
    match target.expression:
        case ast.Name(id=name):
            yield from (one for one in named_reads(made.file, made.scope, name) if _is_sure(ev, one, made, name))
        case ast.Attribute(value=owner, attr=name) if is_self(owner) and _is_stored_once(ev, made, name):
            for node, statement in made.file.attribute_reads(name):
                place = Place(made.file, node, statement)
                if is_self(node.value) and place.scope.outer is made.scope.outer:
                    yield place


def _is_stored_once(ev: Evaluator, made: Place, name: str) -> bool:
    """Tell whether only a constructor sets an attribute."""
    is_alone = len(made.file.index.attribute_stores(name)) == 1
    return is_alone and made.scope.name == "__init__" and len(ev.project.library.holding(f".{name} =")) == 1


def _is_sure(ev: Evaluator, use: Place, made: Place, name: str) -> bool:
    """Tell whether a use sees what the statement has bound, and nothing else."""
    bindings = made.scope.bindings[name]
    if use.scope is not made.scope:
        return len(bindings) == 1
    reached = reaching(made.file.index, bindings, use.statement, ev.decide(use))
    return not reached.open and [one.statement for one in reached.definitions] == [made.statement]


def _uses_up(use: Place) -> bool:
    """Tell whether a read of a generator exhausts it."""
    parent = use.file.parents_in(use.statement).get(use.expression)
    match parent:
        case ast.For(iter=source) as loop if source is use.expression:
            return next(jumps(use.file.index, loop, ast.Break), None) is None
        case ast.Starred():
            return True
        case ast.Call(args=[argument, *_]) if argument is use.expression:
            return _takes_all(call_at(use.at(parent)))
        case ast.Dict():
            return _is_group(use, parent)
        case ast.comprehension(iter=source) if source is use.expression:
            return _is_gathered(use, parent)
        case _:
            return False


def _takes_all(call: Call | None) -> bool:
    """Tell whether a call exhausts its first argument: an optimizer, a clipping function, a container."""
    if call is None:
        return False
    if call.owner is None and call.method in _USING_UP and call.method not in call.scope.file_scope.bindings:
        return True
    return _takes_parameters(call)


def _takes_parameters(call: Call | None) -> bool:
    """Tell whether a call is one of an optimizer or of a function that clips gradients."""
    names = call.callee.names if call is not None else frozenset[str]()
    return not names.isdisjoint(CLIPPING) or names_a(names, Role.OPTIMIZER)


def _is_optimized(use: Place) -> bool:
    """Tell whether an optimizer takes a generator, or a function that clips the gradients of its parameters."""
    parent = use.file.parents_in(use.statement).get(use.expression)
    return isinstance(parent, ast.Dict) or (isinstance(parent, ast.Call) and _takes_parameters(call_at(use.at(parent))))


def _is_group(use: Place, group: ast.Dict) -> bool:
    """Tell whether a dict is a parameter group in the list that an optimizer receives."""
    parents = use.file.parents_in(use.statement)
    groups = parents.get(group)
    call = parents.get(groups) if isinstance(groups, (ast.List, ast.Tuple)) else None
    made = call_at(use.at(call)) if isinstance(call, ast.Call) and call.args[:1] == [groups] else None
    return made is not None and names_a(made.callee.names, Role.OPTIMIZER)


def _is_gathered(use: Place, comprehension: ast.comprehension) -> bool:
    """Tell whether a comprehension iterates over its source at once: `[p for p in x]`, `sum(p.numel() for p in x)`."""
    parents = use.file.parents_in(use.statement)
    whole = parents.get(comprehension)
    if isinstance(whole, _COMPREHENSIONS):
        return whole.generators[0] is comprehension
    call = parents.get(whole) if isinstance(whole, ast.GeneratorExp) else None
    is_argument = isinstance(call, ast.Call) and call.args[:1] == [whole]
    return is_argument and isinstance(call, ast.Call) and callee_name(call) in _USING_UP


def _comes_first(one: Place, other: Place, made: Place) -> bool:
    """Tell whether every path to a use has passed another one since the generator was made."""
    if one.expression is other.expression or one.scope is not made.scope:
        return False
    block, position = home_of(one)
    if other.scope is not made.scope:
        return block is made.file.index.home[made.statement][0] and not _is_called_before(other, one)
    own = dict(made.file.index.blocks_around(other.statement)).get(block)
    if own is None:
        return False
    if position == own:
        return isinstance(one.statement, LOOPS) and one.statement is not other.statement
    return position < own


def _is_called_before(inner: Place, use: Place) -> bool:
    """Tell whether the function of a place may run before a use in the enclosing one, or in the constructor."""
    calls = use.file.index.calls(inner.scope.name)
    first = use.scope.node.lineno if not isinstance(use.scope.node, ast.Module) else 0
    return any(first < call.lineno < use.line for call, _ in calls)


def _is_repeated(ev: Evaluator, use: Place, made: Place) -> bool:
    """Tell whether a loop uses a generator again that was made before it, here or by calling a method."""
    index = use.file.index
    if use.scope is not made.scope:
        return made.scope.is_method and step_loops_of(ev.project).every_step(use) is not None
    for loop in loops_of(index, use.statement):
        if index.is_in_body(made.statement, loop):
            return False
        if first_leaving(loop.body, index) is None and not any(jumps(index, loop, ast.Break)):
            return True
    return False
