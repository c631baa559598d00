"""Gradients that one module computes and another is updated with, while only the other's are cleared.

The workers of A3C compute them with a module of their own, and hand them over: `shared.grad = own.grad` for each pair
of `zip(local.parameters(), shared.parameters())`. `zero_grad()` of the optimizer that received the shared parameters
does not fill the tensor with zeros, but lets go of it (`set_to_none=True`, the default since PyTorch 2.0): the local
module keeps it, and `backward()` adds to it.
https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call, calls_between, method_calls_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.pytorch.new_tensors import FILLING
from torchlint.syntax.call_shapes import shape_of
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import walk, written

from .trained_module import given_modules, is_one
from .zeroing import calls_may_zero

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_STEP = frozenset({"step"})
_GRADIENTS = ("grad", "_grad")
_STORED = (".grad =", "._grad =")


@dataclass(frozen=True, slots=True)
class Lending:
    """A statement or call that hands the gradients of one module over to another: `shared.grad = own.grad`."""

    place: Place
    local: Place
    shared: Place


@dataclass(frozen=True, slots=True)
class Lent:
    """A `backward()` that adds to the gradients of a module, which are handed over but never cleared."""

    backward: Call
    zeroing: Call
    lending: Lending
    is_made_in_view: bool
    """Whether the module is known whose gradients the optimizer clears."""


def lent_gradients(ev: Evaluator, file: ParsedFile) -> Iterator[Lent]:
    """Yield the calls of `backward()` in a file whose gradients accumulate in the module that computes them."""
    lenders = ev.project.once(_lenders)
    if not lenders:
        return
    seen: set[object] = set()
    for step in method_calls_of(file, _STEP):
        if step.scope.kind != "function" or step.scope in seen:
            continue
        seen.add(step.scope)
        for lending in _lendings(ev, step, lenders):
            if (found := _lent(ev, step, lending)) is not None:
                yield found


def _lent(ev: Evaluator, step: Call, lending: Lending) -> Lent | None:
    file, body = step.file, step.scope.node
    loop = next(loops_of(file.index, step.statement), None)
    if isinstance(body, ast.Module) or not _lasts_longer(lending.local, loop):
        return None
    first, last = body.lineno, body.end_lineno or body.lineno
    zeroing = list(calls_between(file, "zero_grad", first, last))
    if not zeroing or not all(_clears_others(ev, one, step, lending) for one in zeroing):
        return None
    backward = next(iter(calls_between(file, "backward", first, last)), None)
    leave = frozenset(one.expression for one in (*zeroing, step, lending.place))
    if backward is None or backward.keywords or _lets_go(file, body, lending) or calls_may_zero(ev, file, body, leave):
        return None
    is_known = all(any(True for _ in given_modules(ev, one.owner)) for one in zeroing if one.owner is not None)
    return Lent(backward, zeroing[0], lending, is_known)


def _lasts_longer(module: Place, loop: ast.stmt | None) -> bool:
    """Tell whether a module is not made again in each iteration, or call: its gradients accumulate."""
    bindings = module.scope.bindings.get(module.word, ()) if module.is_name else ()
    if loop is None:
        return not module.is_name or (bool(bindings) and all(one.kind == "parameter" for one in bindings))
    return not any(module.file.index.is_in_body(one.statement, loop) for one in bindings if one.kind != "parameter")


def _clears_others(ev: Evaluator, zeroing: Call, step: Call, lending: Lending) -> bool:
    """Tell whether a `zero_grad()` is that of the optimizer that steps, without the module that computes gradients."""
    owner = zeroing.owner
    if owner is None or step.owner is None or owner.code != step.owner.code or zeroing.keywords or zeroing.arguments:
        return False
    return not any(is_one(ev, module, lending.local) for module in given_modules(ev, owner))


def _lets_go(file: ParsedFile, body: ast.stmt, lending: Lending) -> bool:
    """Tell whether a function sets or changes gradients other than by handing them over."""
    stores = [one for name in _GRADIENTS for one in file.index.attribute_stores(name)]
    others = (one for one in stores if one.statement is not lending.place.statement)
    first, last = body.lineno, body.end_lineno or body.lineno
    if any(first <= one.statement.lineno <= last for one in others):
        return True
    calls = (call for name in sorted(FILLING) for call in calls_between(file, name, first, last))
    return any("grad" in call.code for call in calls)


def _lendings(ev: Evaluator, step: Call, lenders: dict[str, tuple[tuple[Function, Lending], ...]]) -> Iterator[Lending]:
    """Yield how the function of a step hands over gradients, itself or by a function that it calls."""
    file, scope = step.file, step.scope
    for named in lenders.values():
        yield from (lending for function, lending in named if function.scope is scope)
    for call, statement in file.calls_in_scope(scope):
        place = Place(file, call, statement)
        for function, lending in lenders.get(_called(call), ()):
            if any(one.scope is function.scope for one in callees_of(ev, place)):
                yield from _passed(place, function, lending)


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _passed(place: Place, function: Function, lending: Lending) -> Iterator[Lending]:
    """Yield the lending of a call that passes both modules to a function by position."""
    assert isinstance(place.expression, ast.Call)
    call = Call(place.file, place.expression, place.statement)
    if not shape_of(place.expression).fits(function.scope):
        return
    names = [one.name for one in function.scope.parameters]
    given = [
        call.argument(one.word, names.index(one.word) - function.scope.is_method) if one.word in names else None
        for one in (lending.local, lending.shared)
    ]
    if given[0] is not None and given[1] is not None:
        yield Lending(place, given[0], given[1])


def _lenders(ev: Evaluator) -> dict[str, tuple[tuple[Function, Lending], ...]]:
    """Return the functions of a project that hand over gradients, by name."""
    library = ev.project.library
    found: dict[str, tuple[tuple[Function, Lending], ...]] = {}
    for path in sorted({path for text in _STORED for path in library.holding(text)}):
        if (file := ev.project.parsed(path)) is not None and file.says("zip("):
            for lending in _lendings_in(file):
                scope = lending.place.scope
                if scope.kind == "function":
                    found[scope.name] = (*found.get(scope.name, ()), (Function(file, scope), lending))
    return found


def _lendings_in(file: ParsedFile) -> Iterator[Lending]:
    """Yield the statements of a file that hand over gradients in a loop over the parameters of two modules."""
    for name in _GRADIENTS:
        for store in file.index.attribute_stores(name):
            loop = next(loops_of(file.index, store.statement), None)
            if isinstance(loop, ast.For) and store.value is not None:
                place = Place(file, store.value, store.statement)
                modules = _modules_of(loop)
                local = modules.get(_owner_of_gradient(store.value))
                shared = modules.get(written(store.target))
                if local is not None and shared is not None and written(local) != written(shared):
                    yield Lending(place, Place(file, local, loop), Place(file, shared, loop))


def _owner_of_gradient(value: ast.expr) -> str:
    """Return what a gradient is read of, as it is or copied: `p` of `p.grad.clone()`."""
    owners = [node.value for node in walk(value) if isinstance(node, ast.Attribute) and node.attr in _GRADIENTS]
    is_computed = any(isinstance(node, ast.BinOp) for node in walk(value))
    return written(owners[0]) if len(owners) == 1 and not is_computed else ""


def _modules_of(loop: ast.For) -> dict[str, ast.expr]:
    """Return the modules whose parameters a loop goes through in pairs, by the names of the parameters."""
    match loop:
        case ast.For(target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip"), args=parts)):
            pairs = zip(targets, map(_module_of, parts), strict=False)
            return {written(target): module for target, module in pairs if module is not None}
        case _:
            return {}


def _module_of(parameters: ast.expr) -> ast.expr | None:
    match parameters:
        case ast.Call(func=ast.Attribute(value=module, attr=name), args=[]) if name in PARAMETERS_OF:
            return module
        case _:
            return None
