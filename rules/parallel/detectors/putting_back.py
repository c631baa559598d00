"""Checkpoints of wrappers that every loader of the project puts back into a wrapper, or rids of the prefix.

A file whose keys start with `module.` harms whoever loads it into the bare module. Whether anybody does is known only
where the project itself loads it, so that takes evidence on both sides. For it: at least one load is of this very
model, by its class, its wrapping call or the file's name, and its receiver is a wrapper whatever the options are, or a
load takes the prefix off where nobody knows the class. A module that is wrapped under some conditions is no such
receiver: what eight GPUs saved, one of them cannot load. Only what a test says of the module itself is the same
everywhere: a function is asked about it, `if has_batchnorms(net): net = DDP(net)` or the other arm wraps a part of it,
`if is_vgg: net.features = DataParallel(net.features)`. A class of the project's own that keeps the module as
`self.module`, and nothing beside it, takes the same keys. Against it: any load that may
be of this file and whose receiver is bare, may be bare, or is not known; what a program makes out of sight and fills
is no such receiver where the class of the saved module is known. Where one repository holds several programs that
share no file, each is taken to read what it saves itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.checkpoints.checkpoint_names import may_be_one_file, names_of_file
from torchlint.model.linking.classes import is_module
from torchlint.model.linking.importing import program_files
from torchlint.model.modules.empty_modules import only_holds
from torchlint.model.parallel.wrappers import Wrapping, unwrapped, wrapping
from torchlint.model.place import Place
from torchlint.model.values.possible import Built, Class, Instance, Possibility, Tensor, Unknown
from torchlint.syntax.last_names import callee_name, root_of
from torchlint.syntax.walk import written

from .apart import are_apart
from .loaded_checkpoints import LoadedCheckpoint, filled_by, loaded_checkpoints

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

    from .saves import WrappedSave

_DICTS = frozenset({"dict", "OrderedDict", "update"})


def is_put_back(ev: Evaluator, save: WrappedSave) -> bool:
    """Tell whether the project loads what a wrapper saved, and never into a module without one."""
    found = False
    loads = [load for load in ev.project.once(loaded_checkpoints) if not _is_another_file(save, load)]
    for load in loads:
        fits = _fits(ev, save, load)
        if fits is False and not _is_made_otherwise(save, load) and not _reads_its_own(ev, save, load, loads):
            return False
        found = found or fits is True
    return found


def _reads_its_own(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint, loads: list[LoadedCheckpoint]) -> bool:
    """Tell whether a load is of another program of the repository, which saves checkpoints for itself.

    So is one beside another that is prepared for what wrappers save: that one reads what the first program saved.
    """
    here, there = save.place.file, load.read.file
    if here is there or program_files(ev, there).isdisjoint(ev.project.library.holding("torch.save")):
        return False
    beside = (one for one in loads if one.read.file is there and one.read.key != load.read.key)
    return are_apart(ev, here, there) or any(one.knows_of(save.wrapping.prefix) for one in beside)


def needing_prefix(ev: Evaluator, save: WrappedSave) -> Iterator[Place]:
    """Yield what would fail on bare keys where a save went without its wrapper: what is filled, or the loads."""
    saved, prefix = _kinds(ev, save.wrapping.possibility), save.wrapping.prefix
    for load in ev.project.once(loaded_checkpoints):
        if _is_another_file(save, load):
            continue
        possible = filled_by(ev, load, _saved_under(save.place))
        related = [one for one in possible if _is_related(ev, saved, one, is_open=True)]
        if (related or not possible) and load.needs(prefix):
            yield load.read
        elif (
            load.into is not None
            and not (load.knows_of(prefix) or load.hands_on(prefix))
            and any(wrapping(ev, one) for one in related)
        ):
            yield load.into


def _is_another_file(save: WrappedSave, load: LoadedCheckpoint) -> bool:
    """Tell whether a load surely reads another file than a save writes, or something else in it."""
    key = _saved_under(save.place)
    if key is not None and (loaded_key := load.key) is not None and key != loaded_key:
        return True
    return save.path is not None and load.source is not None and not may_be_one_file(save.path, load.source)


def _is_made_otherwise(save: WrappedSave, load: LoadedCheckpoint) -> bool:
    """Tell whether a load is of a file that is a state dict itself, where a save puts it under a key."""
    return load.is_all and _saved_under(save.place) is not None


def _saved_under(state: Place) -> str | None:
    """Return the key under which a state dict is put into what is saved, where that stands right here."""
    parents = state.file.parents_in(state.statement)
    match parents.get(state.expression), state.statement:
        case ast.Dict(keys=keys, values=values), _:
            key = next(key for key, value in zip(keys, values, strict=True) if value is state.expression)
            return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        case ast.keyword(arg=name) as keyword, _:
            made = parents.get(keyword)
            return name if isinstance(made, ast.Call) and callee_name(made) in _DICTS else None
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))]), _:
            return name
        case _:
            return None


def _fits(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint) -> bool | None:
    """Tell whether a load takes keys with the prefix; None where it has nothing to do with the module."""
    possible = filled_by(ev, load, _saved_under(save.place))
    saved = _kinds(ev, save.wrapping.possibility)
    is_same_file = _is_same_file(ev, save, load)
    is_open = not saved or is_same_file or load.into is None or _is_given(load.into)
    related = [one for one in possible if _is_related(ev, saved, one, is_open=is_open)]
    if possible and not related:
        return None
    wrapped = [found for one in related if (found := wrapping(ev, one)) is not None]
    is_same_call = any(one.place.key == save.wrapping.place.key for one in wrapped)
    is_wrapped = bool(wrapped) and all(one.prefix == save.wrapping.prefix for one in wrapped)
    others = (one for one in related if wrapping(ev, one) is None)
    if not all(_is_alike(ev, one, save.wrapping) for one in others):
        is_wrapped = is_wrapped and all(_is_up_to_model(ev, one.place) for one in wrapped)
    # A helper that takes the prefix off serves many models: whether it does here shows where the load is of this one.
    is_of_model = bool(related) and all(saved & _kinds(ev, one) for one in possible if is_module(ev, one.value))
    is_known = load.knows_of(save.wrapping.prefix) or (is_of_model and load.hands_on(save.wrapping.prefix))
    if not is_wrapped and not is_known:
        return False
    is_same_kind = any(saved & _kinds(ev, one) for one in related)
    # Where nobody knows what was saved, who takes the prefix off whatever he is given knows who put it on.
    is_prepared = not saved and bool(related) and load.knows_of(save.wrapping.prefix)
    return is_same_call or is_same_kind or is_same_file or is_prepared or None


def _is_alike(ev: Evaluator, one: Possibility, wrap: Wrapping) -> bool:
    """Tell whether a class of the project's own, around the module and nothing else, has the keys of a wrapper."""
    return only_holds(ev, one, wrap.prefix.removesuffix("."))


def _is_related(ev: Evaluator, saved: frozenset[Class | str], one: Possibility, *, is_open: bool) -> bool:
    """Tell whether what a load fills may be the module that was saved; the unknown may where that is open."""
    # What nobody knows and is moved is taken for a tensor, but no tensor has a `load_state_dict()`.
    if isinstance(one.value, (Unknown, Tensor)):
        return is_open
    return is_module(ev, one.value) and _may_be_alike(saved, _kinds(ev, one))


def _is_given(into: Place) -> bool:
    """Tell whether a program is given what it fills, as an argument: anybody may have passed it the saved module.

    What it makes out of sight itself is not known to be that, where the class of the saved one is.
    """
    match into.expression:
        case ast.Name(id=name):
            return any(one.kind == "parameter" for one in into.scope.bindings.get(name, ()))
        case ast.Attribute(attr=name):
            stores = into.file.index.attribute_stores(name)
            values = (Place(into.file, one.value, one.statement) for one in stores if one.value is not None)
            return any(isinstance(one.expression, ast.Name) and _is_given(one) for one in values)
        case _:
            return False


def _is_up_to_model(ev: Evaluator, wrap: Place) -> bool:
    """Tell whether it is for what a module is itself that it is wrapped: it will be, whenever it is loaded."""
    tests = wrap.tests
    return bool(tests) and all(
        _asks_about_module(ev, test) or _wraps_a_part(ev, wrap, test, not holds) for test, holds in tests
    )


def _asks_about_module(ev: Evaluator, test: Place) -> bool:
    asked = test.expression.args if isinstance(test.expression, ast.Call) else []
    about = (ev.evaluate(test.at(one)) for one in asked)
    return bool(asked) and all(any(is_module(ev, found.value) for found in possible) for possible in about)


def _wraps_a_part(ev: Evaluator, wrap: Place, test: Place, holds: bool) -> bool:
    """Tell whether the arm of an `if` where a module is not wrapped whole wraps what is in one of its attributes."""
    parts = (
        Place(test.file, store.value, store.statement)
        for store in test.file.index.stores
        if store.value is not None and isinstance(store.key, str) and written(root_of(store.target)) in wrap.kept_as
    )
    return any(
        wrapping(ev, one) is not None
        for part in parts
        if _is_in_arm(part, test.statement, "body" if holds else "orelse")
        for one in ev.evaluate(part)
    )


def _is_in_arm(place: Place, statement: ast.stmt, arm: str) -> bool:
    block = place.file.index.home[place.statement][0]
    return block.owner is statement and block.arm == arm


def _is_same_file(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint) -> bool:
    if save.path is None or load.source is None:
        return False
    return bool(names_of_file(ev, save.path) & names_of_file(ev, load.source))


def _kinds(ev: Evaluator, one: Possibility) -> frozenset[Class | str]:
    """Return the classes that a module, or the one inside a wrapper, may be of; none where that is not known."""
    inner = unwrapped(ev, one)
    found: set[Class | str] = set()
    for module in (one,) if inner is None else inner:
        match module.value:
            case Instance(kind=kind):
                found |= {kind, *ev.subclasses(kind)}
            case Built(name=name) if name != "torch.nn.Module":
                found.add(name)
            case _:
                return frozenset()
    return frozenset(found)


def _may_be_alike(left: frozenset[Class | str], right: frozenset[Class | str]) -> bool:
    return not left or not right or bool(left & right)
