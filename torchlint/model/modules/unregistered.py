"""Modules and parameters in a plain list or dict of a module, which does not register them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.containers import module_containers
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.modules.picking import is_picked_from
from torchlint.model.modules.plain_lists import ADDING, PlainList, is_within, members, plain_lists, reads_of
from torchlint.model.modules.registered import has_parameters, is_parameter
from torchlint.model.modules.registering import is_given_to_register
from torchlint.model.modules.used_as_modules import used_as_module
from torchlint.model.modules.wrapping import layers_in, whole_of
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import sure_definitions
from torchlint.model.values.value_sets import Class, Display, Imported, Instance, Possibility, Value
from torchlint.pytorch.module_attributes import PARAMETERS_OF, REGISTERING_MODULES, REGISTERING_TENSORS
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.symbols import NN
from torchlint.syntax.exits import loops_of
from torchlint.syntax.last_names import called_as, root_of
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

# A class that calls or defines one of these registers or moves its modules itself.
_REGISTERING = (*REGISTERING_TENSORS, *REGISTERING_MODULES, "setattr", "__setattr__")
_OWN_MOVES = ("_apply", *TO_GPU, *PARAMETERS_OF)


@dataclass(frozen=True, slots=True)
class HiddenModules:
    """A plain list or dict that a module keeps modules or parameters in."""

    place: Place
    """What is assigned to the attribute."""
    member: Place
    """The first of the modules or parameters."""
    is_dict: bool
    is_parameter: bool
    premises: tuple[Step, ...] = ()
    """The step that assumes that the object is used as a module, if no line shows it."""


def hidden_modules(ev: Evaluator, kind: Class) -> Iterator[HiddenModules]:
    """Yield the lists and dicts in attributes of a class's objects whose modules are not registered elsewhere."""
    if not is_module(ev, Instance(kind)) or any(method_of(ev, kind, name) is not None for name in _OWN_MOVES):
        return
    if any(is_within(kind, statement) for name in _REGISTERING for _, statement in kind.file.index.calls(name)):
        return
    for kept in plain_lists(ev, kind):
        if _is_passed_on(ev, kind, kept) or _is_registered_in_turn(ev, kind, kept):
            continue
        if is_picked_from(ev, kept.written, kept.names):
            continue
        for member in members(kind, kept):
            if (one := _hidden(ev, member, kept)) is not None:
                is_dict = isinstance(kept.written.expression, (ast.Dict, ast.DictComp))
                assert kept.store.value is not None
                place = Place(kind.file, kept.store.value, kept.store.statement)
                yield HiddenModules(place, member, is_dict, is_parameter(ev, one), used_as_module(ev, kind))
                break


def _is_passed_on(ev: Evaluator, kind: Class, kept: PlainList) -> bool:
    """Tell whether the list is passed to a container of modules, or the attribute is assigned another value later."""
    for call in (call for read in reads_of(kind, kept) for call in _passed_to(read)):
        assert isinstance(call.expression, ast.Call)
        function = call.expression.func
        if any(_is_container(ev, one.value) for one in ev.evaluate(call.at(function))):
            return True
        if isinstance(function, ast.Attribute) and function.attr == "__init__":
            return True
    stores = (s for s in kind.file.index.attribute_stores(str(kept.store.key)) if is_within(kind, s.statement))
    return any(isinstance(s.value, ast.Call) and s is not kept.store for s in stores)


def _is_container(ev: Evaluator, made: Value) -> bool:
    """Tell whether something is a container of PyTorch, or a module of the project that registers what it is given."""
    if isinstance(made, Imported):
        return made.name.startswith((NN, "collections.OrderedDict"))
    if not isinstance(made, Class) or not is_module(ev, Instance(made)):
        return False
    return any(is_within(made, statement) for name in _REGISTERING for _, statement in made.file.index.calls(name))


def _is_registered_in_turn(ev: Evaluator, kind: Class, kept: PlainList) -> bool:
    """Tell whether a loop over the list registers its items: `for one in self.parts: self.nets.append(one[0])`."""
    for loop in dict.fromkeys(read.statement for read in reads_of(kind, kept)):
        if isinstance(loop, ast.For) and _mentions(loop.iter, kept.names):
            items = tuple(written(node) for node in walk(loop.target) if isinstance(node, ast.Name))
            if any(_registers_some(ev, kind, *pair, items) for pair in _adding_in(kind, loop)):
                return True
    return False


def _adding_in(kind: Class, loop: ast.For) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls in the body of a loop that add to something."""
    for call, statement in kind.file.calls_within(loop):
        if called_as(call) in ADDING and loop in loops_of(kind.file.index, statement):
            yield call, statement


def _registers_some(ev: Evaluator, kind: Class, call: ast.Call, statement: ast.stmt, items: tuple[str, ...]) -> bool:
    """Tell whether a call adds one of some items to a module."""
    if not isinstance(call.func, ast.Attribute) or not any(_mentions(one, items) for one in call.args):
        return False
    return any(is_module(ev, one.value) for one in ev.evaluate(Place(kind.file, call.func.value, statement)))


def _passed_to(read: Place) -> Iterator[Place]:
    """Yield the calls that something is passed to, also as a part of something else."""
    parents = read.file.parents_in(read.statement)
    node: ast.AST = read.expression
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, ast.Call) and node is not parent.func:
            yield read.at(parent)
        node = parent


def _mentions(node: ast.AST, names: tuple[str, ...]) -> bool:
    return any(written(part) in names for part in walk(node) if isinstance(part, (ast.Name, ast.Attribute)))


def _hidden(ev: Evaluator, member: Place, kept: PlainList) -> Possibility | None:
    """Return the module or parameter of a member, if it is made here and stored nowhere else."""
    possible = ev.evaluate(member)
    if not possible or not all(is_parameter(ev, one) or is_module(ev, one.value) for one in possible):
        return None
    for one in possible:
        if (
            one.origin is None
            or _wraps_others(ev, one, kept)
            or _is_kept_elsewhere(ev, member, one.origin, kept)
            or _came_from_outside(member, one.origin)
        ):
            return None
    return next((one for one in possible if is_parameter(ev, one) or _moves(ev, one)), None)


def _moves(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a module may have tensors; a container of layers without any has none."""
    return has_parameters(ev, one.value) and not is_empty(ev, one)


def _wraps_others(ev: Evaluator, one: Possibility, kept: PlainList) -> bool:
    """Tell whether all that a container holds is registered already, was passed in, or has nothing to move."""
    if one.origin is None or not module_containers.is_container(one.value):
        return False
    layers = layers_in(ev, one.origin)
    return bool(layers) and all(_is_of_another(ev, layer, kept) or _has_nothing(ev, layer) for layer in layers)


def _has_nothing(ev: Evaluator, layer: Place) -> bool:
    possible = ev.evaluate(layer)
    return bool(possible) and all(is_empty(ev, one) for one in possible)


def _is_of_another(ev: Evaluator, layer: Place, kept: PlainList) -> bool:
    """Tell whether a layer is a part of an attribute that is a module, of a parameter, or is itself kept elsewhere."""
    whole = whole_of(ev, layer)
    root = whole.at(root_of(whole.expression))
    if not isinstance(root.expression, ast.Name):
        return False
    if whole.scope is kept.written.scope and _is_passed(ev, root):
        return root == whole or not any(isinstance(one.value, Display) for one in ev.evaluate(whole))
    origins = [one.origin for one in ev.evaluate(root)]
    return bool(origins) and all(one is not None and _is_kept_elsewhere(ev, root, one, kept) for one in origins)


def _is_passed(ev: Evaluator, name: Place) -> bool:
    """Tell whether a name is a parameter, `self` included, that nothing rebinds."""
    found = sure_definitions(ev, name)
    return bool(found) and all(one.kind == "parameter" for one in found)


def _is_kept_elsewhere(ev: Evaluator, member: Place, made: Place, kept: PlainList) -> bool:
    """Tell whether a member is also an attribute of any module, or in another container, which registers it."""
    if isinstance(member.expression, ast.Attribute) or _is_part(ev, member):
        return True
    names = {member.word}
    if isinstance(made.statement, ast.Assign):
        if any(isinstance(target, ast.Attribute) for target in made.statement.targets):
            return made.statement.value is made.expression
        names |= {target.id for target in made.statement.targets if isinstance(target, ast.Name)}
    is_put = any(_is_put_elsewhere(made.file, name, kept) for name in sorted(names))
    return is_put or is_given_to_register(ev, member, names)


def _is_put_elsewhere(file: ParsedFile, name: str, kept: PlainList) -> bool:
    """Tell whether the value of a name is stored in an attribute, or in another container."""
    if any(isinstance(store.key, str) or _is_other(store.target, kept) for store in file.stores.of_name(name)):
        return True
    return any(
        isinstance(argument, ast.Name) and argument in call.args and _is_added_to_another(call, kept)
        for call, argument, _ in file.mentions(name)
    )


def _is_added_to_another(call: ast.Call, kept: PlainList) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ADDING and _is_other(call.func.value, kept)


def _is_part(ev: Evaluator, member: Place) -> bool:
    """Tell whether a member is an item of another module, which has it: `layer[0]` of a `Sequential`."""
    owner = member.owner if isinstance(member.expression, ast.Subscript) else None
    return owner is not None and any(is_module(ev, one.value) for one in ev.evaluate(owner))


def _is_other(container: ast.expr, kept: PlainList) -> bool:
    return isinstance(container, ast.Attribute) and written(container) not in kept.names


def _came_from_outside(member: Place, made: Place) -> bool:
    """Tell whether a member was passed to the class: its maker may well have registered it."""
    names = {parameter.name for parameter in member.scope.parameters[1:]}
    parts = (node.id for node in walk(member.expression) if isinstance(node, ast.Name))
    return not isinstance(member.expression, ast.Call) and made.scope is not member.scope and bool(names & set(parts))
