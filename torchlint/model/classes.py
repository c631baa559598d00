"""Classes of the project: their bases, methods and attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.annotations import value_of_annotation
from torchlint.model.around import is_dotted_name, is_self
from torchlint.model.device_words import is_about_device
from torchlint.model.facts import facts_for_others
from torchlint.model.flow import reaching
from torchlint.model.frame import Frame
from torchlint.model.items import elements_of, select
from torchlint.model.lifetime import is_wrapped_later, may_have_run
from torchlint.model.operators import combine
from torchlint.model.place import Place
from torchlint.model.scope import Scope, Store
from torchlint.model.torch_facts import MODULE, OTHER_FRAMEWORKS, canonical
from torchlint.model.values import (
    UNKNOWN,
    Built,
    Class,
    Function,
    Generated,
    Imported,
    Instance,
    Literal,
    Possibility,
    Possible,
    Value,
    either,
    known,
)
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

_DEEPEST_BASE = 6
# What so many files speak of is no part of one program: it is what they are all written with.
_MOST_BUILDING = 12
_SETTINGS = re.compile(
    r"(Config|Configuration|Cfg|Exp|Experiment|Options|Opts|Settings|Args|Arguments|HParams|Params)$"
)
_MODULE_BASES = frozenset({
    MODULE, "lightning.LightningModule", "pytorch_lightning.LightningModule", "lightning.pytorch.LightningModule",
    "pytorch_lightning.core.LightningModule", "transformers.PreTrainedModel", "torch.compile",
})  # fmt: skip


def family(ev: Evaluator, kind: Class, depth: int = 0) -> Iterator[Class | str]:
    """Yield a class and its bases, nearest first; those outside the project by their full names."""
    yield kind
    node = kind.scope.node
    if not isinstance(node, ast.ClassDef) or depth > _DEEPEST_BASE:
        return
    for base in node.bases:
        for one in ev.evaluate(Place(kind.file, base, node)):
            match one.value:
                case Class() as parent if parent.scope is not kind.scope:
                    yield from family(ev, parent, depth + 1)
                case Imported(name=name):
                    yield canonical(name)


def imported_bases(ev: Evaluator, kind: Class) -> Iterator[str]:
    """Yield the full names of a class's bases outside the project."""
    return (base for base in family(ev, kind) if isinstance(base, str))


def is_module(ev: Evaluator, value: Value) -> bool:
    """Tell whether a value is an nn.Module."""
    match value:
        case Built(name=name):
            return name in _MODULE_BASES or (name.startswith("torch.nn.") and not name.endswith("Parameter"))
        case Instance(kind=kind):
            return any(is_module_class(base) for base in imported_bases(ev, kind))
        case _:
            return False


def is_module_class(name: str) -> bool:
    """Tell whether a class outside the project is a module, or a kind of module."""
    is_ours = name.endswith(("Module", "PreTrainedModel")) and name.partition(".")[0] not in OTHER_FRAMEWORKS
    return name in _MODULE_BASES or name.startswith("torch.nn.") or is_ours


def method_of(ev: Evaluator, kind: Class, name: str, receiver: Possibility | None = None) -> Function | None:
    """Return the method that a class has by that name, its own or inherited within the project."""
    receiver = typical(ev, receiver) if receiver is not None else None
    for one in family(ev, kind):
        if isinstance(one, Class):
            for binding in reversed(one.scope.bindings.get(name, [])):
                if binding.kind == "function" and binding.scope is not None:
                    return Function(one.file, binding.scope, receiver)
    return None


def typical(ev: Evaluator, one: Possibility) -> Possibility:
    """Return an object as what stands for all of its kind, where so many are built that none is looked at by itself."""
    if one.origin is None or not isinstance(one.value, Instance):
        return one
    is_common = len(ev.project.library.holding(one.value.kind.scope.name)) > _MOST_BUILDING
    return Possibility(one.value, None, one.story) if is_common else one


def attribute_of_class(ev: Evaluator, kind: Class, name: str) -> Possible:
    """Return what `Class.name` may be."""
    if (method := method_of(ev, kind, name)) is not None:
        bound = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in _decorators(method.scope))
        return known(Function(method.file, method.scope, Possibility(kind) if bound else None))
    return _class_level(ev, kind, name)


def attribute_of_instance(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible:
    """Return what an object's attribute may be: what its class's code puts there, or the class itself."""
    assert isinstance(owner.value, Instance)
    kind, owner = owner.value.kind, typical(ev, owner)
    near, is_open = stored_here(ev, place, name)
    if near and not is_open:
        return near
    stored = either(near, *_stored(ev, place, owner, name))
    if stored:
        return _as_setting(ev, kind, name, stored)
    if (method := method_of(ev, kind, name, owner)) is not None:
        return _method_or_property(ev, method, owner)
    return _as_setting(ev, kind, name, _class_level(ev, kind, name))


def _as_setting(ev: Evaluator, kind: Class, name: str, found: Possible) -> Possible:
    """Add that a setting may be anything where options may be set: `exp.ema`, a dataclass's field."""
    if not found or not all(isinstance(one.value, Literal) for one in found) or not _holds_settings(ev, kind):
        return found
    return found if is_about_device(name) and ev.world.defaults else either(found, UNKNOWN)


def _holds_settings(ev: Evaluator, kind: Class) -> bool:
    if any("dataclass" in written(decorator) for decorator in _decorators(kind.scope)):
        return True
    names = (base.rpartition(".")[2] if isinstance(base, str) else base.scope.name for base in family(ev, kind))
    return any(_SETTINGS.search(one) for one in names)


def _method_or_property(ev: Evaluator, method: Function, owner: Possibility) -> Possible:
    decorators = {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in _decorators(method.scope)
    }
    if decorators & {"property", "cached_property"}:
        return ev.returned(method, Frame(method.scope, None, owner))
    return known(Function(method.file, method.scope, None if "staticmethod" in decorators else owner))


def _decorators(function: Scope) -> list[ast.expr]:
    return function.node.decorator_list if not isinstance(function.node, ast.Module) else []


def _class_level(ev: Evaluator, kind: Class, name: str) -> Possible:
    for one in family(ev, kind):
        if not isinstance(one, Class):
            continue
        found = [
            select(ev, ev.evaluate(Place(one.file, b.value, b.statement)), b.selector)
            for b in one.scope.bindings.get(name, [])
            if b.kind == "assign" and b.value is not None
        ]
        if found:
            return either(*found)
        if annotated := _annotated(ev, one, name):
            return annotated
    return ()


def _annotated(ev: Evaluator, kind: Class, name: str) -> Possible:
    """Return what a field that is only annotated may be: `device: str` in a dataclass."""
    for statement in kind.scope.node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=found), annotation=annotation, value=None) if found == name:
                return value_of_annotation(ev, Place(kind.file, annotation, statement))
    return ()


def stored_here(ev: Evaluator, place: Place, name: str) -> tuple[Possible, bool]:
    """Return what `self.name = …` earlier in the same function put there, and whether it may be older than that."""
    if not isinstance(place.expression, ast.Attribute) or not is_dotted_name(place.expression):
        return (), True
    scope, receiver = place.scope, written(place.expression.value)
    stores = [
        store
        for store in place.file.index.attribute_stores(name)
        if place.file.index.home[store.statement][0].scope is scope and written(store.target) == receiver
    ]
    if not stores:
        return (), True
    reached = reaching(place.file.index, stores, place.statement, ev.decide(place))
    here = (Place(place.file, store.target, store.statement, place.frame, place.given) for store in reached.definitions)
    return either(*(_value(ev, at, store) for at, store in zip(here, reached.definitions, strict=True))), reached.open


def _stored(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Iterator[Possible]:
    """Yield what the methods of a class and its bases put into `self.name`."""
    assert isinstance(owner.value, Instance)
    of_self = isinstance(place.expression, ast.Attribute) and is_self(place.expression.value)
    for one in family(ev, owner.value.kind):
        if not isinstance(one, Class):
            continue
        given = facts_for_others(place, one.file, of_same_object=of_self)
        for store in one.file.index.attribute_stores(name):
            method = one.file.index.home[store.statement][0].scope
            if is_wrapped_later(place, store):
                continue
            if _is_own(method, one.scope, store) and may_have_run(ev, owner, method):
                frame = _constructing(method, owner)
                yield _value(ev, Place(one.file, store.target, store.statement, frame, given), store)


def _constructing(method: Scope, owner: Possibility) -> Frame | None:
    """Return the frame of `__init__` for an object whose construction is known."""
    origin = owner.origin
    if method.name != "__init__" or origin is None or not isinstance(origin.expression, ast.Call):
        return None
    return Frame(method, origin, owner) if origin.frame is None or origin.frame.depth < 4 else None


def _is_own(method: Scope, kind: Scope, store: Store) -> bool:
    """Tell whether a store is into `self` of a method of a class."""
    if method.kind != "function" or method.outer is not kind or not method.parameters:
        return False
    return isinstance(store.target, ast.Name) and store.target.id == method.parameters[0].name


def _value(ev: Evaluator, place: Place, store: Store) -> Possible:
    if store.value is None:
        return ()
    value = ev.evaluate(place.at(store.value))
    if store.kind == "augment" and isinstance(store.statement, ast.AugAssign):
        before = ev.evaluate(place.at(store.statement.target))
        return combine(ev, before, store.statement.op, value, place.at(store.value))
    if store.kind == "iterate":
        value = elements_of(ev, value)
    return select(ev, value, store.selector)


def iterated(ev: Evaluator, one: Possibility) -> Possible:
    """Return what iterating over an object yields: what its `__iter__` does, or each `__getitem__`."""
    assert isinstance(one.value, Instance)
    if (method := method_of(ev, one.value.kind, "__iter__", one)) is not None:
        if method.scope.yields:
            return ev.elements(Possibility(Generated(method, None)))
        return either(*(_step_through(ev, inner) for inner in ev.returned(method, None)))
    if (method := method_of(ev, one.value.kind, "__getitem__", one)) is not None:
        return ev.returned(method, None)
    return UNKNOWN


def _step_through(ev: Evaluator, iterator: Possibility) -> Possible:
    """Return what an iterator yields: an object of the project by its `__next__`."""
    if isinstance(iterator.value, Instance):
        method = method_of(ev, iterator.value.kind, "__next__", iterator)
        return ev.returned(method, None) if method is not None else UNKNOWN
    return elements_of(ev, (iterator,))
