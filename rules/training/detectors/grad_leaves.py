"""Leaves that require gradients: the parameters of modules, and tensors that are made with `requires_grad=True`.

https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.requires_grad_stores import is_set_before
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Possibility, Tensor
from torchlint.pytorch.companions.torchvision import MODELS
from torchlint.pytorch.gradient_ends import OF_LEAVES, REQUIRING, WITHOUT_GRAPH
from torchlint.pytorch.symbols import PARAMETER
from torchlint.syntax.arguments import is_flag, passed
from torchlint.syntax.last_names import callee_name, last_name
from torchlint.syntax.scope import Binding, Scope
from torchlint.syntax.walk import is_written, walk

from .parameter_iteration import parameters_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_WEIGHTS = frozenset({"weight", "bias"})
# Layers with a `weight` that is a parameter: https://docs.pytorch.org/docs/stable/nn.html. InstanceNorm has one only
# with `affine=True`; otherwise changing it fails in another way.
_LAYER = re.compile(
    r"torch\.nn\.(Linear|Bilinear|(Lazy)?Conv(Transpose)?[123]d|(Sync)?BatchNorm([123]d)?|LayerNorm|GroupNorm|RMSNorm"
    r"|Embedding(Bag)?|PReLU)"
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf that requires gradients, and what shows it."""

    place: Place
    """Where it is made, or read from a module."""
    is_parameter: bool


def may_be_leaf(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression may be a leaf that requires gradients, as far as its names show."""
    match place.expression:
        case ast.Attribute(value=owner, attr=name):
            if name in WITHOUT_GRAPH or any(last_name(node) in WITHOUT_GRAPH for node in walk(owner)):
                return False
            return name in _WEIGHTS or _is_parameter_by_name(place, name) or _has_gradient(place)
        case ast.Name(id=name):
            return _has_gradient(place) or _is_bound_to_leaf(ev, place.scope, name)
        case _:
            return False


@tabled(False)
def _is_bound_to_leaf(_ev: Evaluator, scope: Scope, name: str) -> bool:
    bindings: Sequence[Binding] = scope.bindings.get(name) or scope.file_scope.bindings.get(name) or ()
    return any(map(_shows_leaf, bindings))


def _shows_leaf(one: Binding) -> bool:
    match one.kind, one.value:
        case "iterate", _:
            return True
        case "assign", ast.Call() as call:
            return _wants_gradients(call)
        case "assign", ast.Attribute(attr=name):
            return name in _WEIGHTS
        case _:
            return False


def _wants_gradients(call: ast.Call) -> bool:
    return callee_name(call) in REQUIRING or passed(call, "requires_grad") is not None


def _is_parameter_by_name(place: Place, name: str) -> bool:
    """Tell whether a class makes a parameter of that name, in this file or another."""
    values = (store.value for store in place.file.index.attribute_stores(name))
    if any(isinstance(value, ast.Call) and _wants_gradients(value) for value in values):
        return True
    library = place.file.project.library
    return any(library.holding(f".{name} = {maker}(") for maker in ("nn.Parameter", PARAMETER, "Parameter"))


def _has_gradient(place: Place) -> bool:
    """Tell whether its function reads the gradient of an expression, or sets its `requires_grad`."""
    text, file = place.code, place.file
    reads = [pair for name in OF_LEAVES for pair in file.attribute_reads(name)]
    owners = [(node.value, statement) for node, statement in reads]
    owners += [(store.target, store.statement) for store in file.index.attribute_stores("requires_grad")]
    return any(is_written(node, text) and file.index.home[at][0].scope is place.scope for node, at in owners)


def leaf_of(ev: Evaluator, place: Place) -> Leaf | None:
    """Return the leaf that an expression surely is, None if it may be anything else."""
    if isinstance(place.expression, ast.Name) and place.expression.id in place.scope.bindings:
        found = [one for one in definitions(ev, place) if one.kind != "augment"]
        leaves = [_defined(ev, place, one) for one in found]
        if leaves and None not in leaves:
            return leaves[0]
    if isinstance(place.expression, ast.Attribute) and place.expression.attr in _WEIGHTS:
        return Leaf(place, True) if _is_of_layer(ev, place) else _made_leaf(ev, place)
    return _made_leaf(ev, place)


def _defined(ev: Evaluator, place: Place, one: Binding) -> Leaf | None:
    """Return the leaf that a definition binds a name to."""
    if one.value is None:
        return None
    value = Place(place.file, one.value, one.statement)
    if one.kind == "iterate":
        asked = parameters_of(ev, value, one.selector)
        return Leaf(asked, True) if asked is not None else None
    if one.kind == "assign" and not one.selector and isinstance(one.value, ast.Attribute):
        return leaf_of(ev, value)
    return None


def _made_leaf(ev: Evaluator, place: Place) -> Leaf | None:
    """Return the leaf that an expression is by what made it; changes in place make no other of it."""
    text = place.code
    possible = [one for one in ev.evaluate(place) if not _is_changed(one, text)]
    if possible and all(_is_made_leaf(ev, one) for one in possible):
        origin = possible[0].origin
        assert origin is not None
        return Leaf(origin, call_at(origin) is not None and _is_parameter(origin))
    if all(isinstance(one.value, Tensor) and one.value.graph is False for one in possible) and possible:
        asked = is_set_before(ev, place)
        return Leaf(asked, False) if asked is not None else None
    return None


def _is_changed(one: Possibility, text: str) -> bool:
    """Tell whether a possibility is only the result of an operation in place on an expression, by its text."""
    statement = one.origin.statement if one.origin is not None else None
    return isinstance(statement, ast.AugAssign) and is_written(statement.target, text)


def _is_made_leaf(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor was made with `requires_grad`, and not computed."""
    if not isinstance(one.value, Tensor) or one.value.graph is not True or one.origin is None:
        return False
    call = one.origin.expression
    if not isinstance(call, ast.Call):
        return False
    if callee_name(call) == "requires_grad_" and isinstance(call.func, ast.Attribute):
        given = ev.evaluate(one.origin.at(call.func.value))
        return bool(given) and all(isinstance(two.value, Tensor) and two.value.graph is False for two in given)
    flag = passed(call, "requires_grad")
    return is_flag(flag, True) or (flag is None and callee_name(call) == "Parameter")


def _is_parameter(origin: Place) -> bool:
    assert isinstance(origin.expression, ast.Call)
    return callee_name(origin.expression) == "Parameter"


def _is_of_layer(ev: Evaluator, place: Place) -> bool:
    """Tell whether `layer.weight` is a parameter of a layer of PyTorch, or of a published network."""
    owner = place.owner
    assert owner is not None
    possible = ev.evaluate(owner)
    if possible and all(isinstance(one.value, Built) and _LAYER.fullmatch(one.value.name) for one in possible):
        return True
    return _is_said_layer(owner) or _is_given_by_apply(ev, owner) or _is_published(ev, owner)


def _is_said_layer(owner: Place) -> bool:
    """Tell whether a dominating condition says that something is a layer: `if isinstance(m, nn.Conv2d)`."""
    text = owner.code
    for test, holds in owner.tests:
        match test.expression:
            case ast.Call(func=ast.Name(id="isinstance"), args=[asked, kinds]) if holds and is_written(asked, text):
                names = [name for kind in _each(kinds) for name in test.at(kind).names]
                return len(names) == len(_each(kinds)) and all(map(_LAYER.fullmatch, names))
    return False


def _each(kinds: ast.expr) -> list[ast.expr]:
    return kinds.elts if isinstance(kinds, (ast.Tuple, ast.List)) else [kinds]


def _is_given_by_apply(ev: Evaluator, owner: Place) -> bool:
    """Tell whether a name is the module that `net.apply(function)` passes to the function around it."""
    scope = owner.scope
    if len(scope.parameters) != 1 or owner.code != scope.parameters[0].name:
        return False
    callers = ev.callers(Function(owner.file, scope))
    return bool(callers) and all(
        isinstance(one.place.expression, ast.Call) and callee_name(one.place.expression) == "apply" for one in callers
    )


def _is_published(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something is a part of a network that torchvision or timm makes: `net.fc` of `resnet18()`."""
    place: Place | None = owner
    while place is not None and isinstance(place.expression, (ast.Attribute, ast.Subscript)):
        place = place.owner
    possible = ev.evaluate(place) if place is not None else ()
    return bool(possible) and all(_is_from_factory(one) for one in possible)


def _is_from_factory(one: Possibility) -> bool:
    call = call_at(one.origin) if one.origin is not None else None
    names = call.callee.names if call is not None else ()
    return isinstance(one.value, Built) and any(name.startswith(MODELS) for name in names)
