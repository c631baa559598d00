"""What a project does with the checkpoints that it reads: which modules it loads them into."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.checkpoints.loading import item_taken, loads_of
from torchlint.model.guards.catching import catching
from torchlint.model.place import Caller, Place
from torchlint.model.values.def_use import Use, ancestors, every_use_of, passed_through, uses_of
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Frame, Function, StateDict, Unknown, ValueSet
from torchlint.syntax.walk import walk

from .load_parts import part_about
from .prefixes import knows_prefix, needs_prefix

if TYPE_CHECKING:
    from torchlint.model.checkpoints.loading import Load
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

_TAKING = frozenset({"get", "pop", "setdefault"})


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """A checkpoint that is read, and one thing that it is loaded into; None if that is unknown."""

    read: Place
    source: Place | None
    into: Place | None
    state: ast.expr | None = None
    """What is loaded: `saved["model"]`."""
    through: tuple[Function, ...] = ()
    """The functions that it passes through from there to here."""
    is_all: bool = False
    """Whether the file is a state dict itself: it is loaded as it was read, and no item of it is read anywhere."""

    @property
    def key(self) -> str | None:
        """Return the key under which the state dict is read, if that is directly where it is loaded."""
        taken = item_taken(self.state)
        return taken[1] if taken is not None else None

    @property
    def is_at_top(self) -> bool:
        """Tell whether the state dict surely is an item of what the file holds: `torch.load(path)["model"]`."""
        taken = item_taken(self.state)
        match taken[0] if taken is not None else None:
            case ast.Call() as call:
                return call is self.read.expression
            case ast.Name(id=name):
                bound = self.read.scope.bindings.get(name, ())
                is_here = self.into is None or self.into.scope is self.read.scope
                return is_here and len(bound) == 1 and bound[0].value is self.read.expression
            case _:
                return False

    def reached_by(self, frame: Frame | None) -> LoadedCheckpoint:
        """Return the same, with a call of the function that reads the file."""
        source, into = (_in_frame(one, frame, self.read.scope) for one in (self.source, self.into))
        return replace(self, source=source, into=into)

    def knows_of(self, prefix: str) -> bool:
        """Tell whether the code that reads the file, or loads it, handles a prefix: it removes or adds it."""
        loading = [self.into.scope.node] if self.into is not None and self.into.scope is not self.read.scope else []
        return any(knows_prefix(code, prefix) for code in (*part_about(self.read, self.into), *loading))

    def is_passed_to_code_for(self, prefix: str) -> bool:
        """Tell whether the functions that receive the file handle a prefix."""
        return any(knows_prefix(one.scope.node, prefix) for one in self.through)

    def needs(self, prefix: str) -> bool:
        """Tell whether a function that the file passes through fails on keys without a prefix."""
        return any(needs_prefix(scope, prefix) for scope in (*self._own, *(one.scope for one in self.through)))

    @property
    def _own(self) -> Iterable[Scope]:
        return dict.fromkeys(one.scope for one in (self.read, self.into) if one is not None)


def loaded_checkpoints(ev: Evaluator) -> tuple[LoadedCheckpoint, ...]:
    """Return what the project does with the checkpoints that it reads, separately for each caller of a loader."""
    found: list[LoadedCheckpoint] = []
    for path in ev.project.library.holding("load("):
        file = ev.project.parsed(path)
        for load in loads_of(file) if file is not None else ():
            if load.is_checkpoint:
                receiving = list(_receivers(ev, load)) or _unreceived(ev, load)
                found.extend(one.reached_by(frame) for frame in _ways_to(ev, load.call) for one in receiving)
    return tuple(found)


def filled_by(ev: Evaluator, load: LoadedCheckpoint, key: str | None) -> ValueSet:
    """Return what a load may fill with what was saved under a key."""
    if load.into is None:
        return ()
    if (objects := _paired(load)) is not None and key is not None:
        found = either(*(ev.item((one, key)) for one in ev.evaluate(objects)))
        if not any(isinstance(one.value, Unknown) for one in found):
            return found
    return ev.evaluate(load.into)


def _receivers(ev: Evaluator, load: Load) -> Iterator[LoadedCheckpoint]:
    every = every_use_of(ev, load.call)
    is_plain = every is not None and not any(_is_asked_for_item(use.place) for use in every)
    for use in every or uses_of(ev, load.call):
        for parent, child in ancestors(use.place):
            match parent:
                case ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict") as function):
                    if child is function or not isinstance(child, ast.expr) or _is_loaded_again(use.place.at(parent)):
                        continue
                    through = tuple(dict.fromkeys(passed_through(ev, use, parent)))
                    is_all = is_plain and child is use.place.expression and _is_as_read(use)
                    yield LoadedCheckpoint(load.call, load.source, use.place.at(owner), child, through, is_all)
        for copied in _copied_into(ev, use):
            through = tuple(dict.fromkeys(passed_through(ev, use, use.place.expression)))
            yield LoadedCheckpoint(load.call, load.source, copied, through=through)


def _is_loaded_again(load: Place) -> bool:
    """Tell whether what catches the failure of a load loads again: which keys are accepted is up to that load."""
    parts = (part for handler in catching(load) for statement in handler.body for part in walk(statement))
    return any(isinstance(part, ast.Attribute) and part.attr == "load_state_dict" for part in parts)


def _is_as_read(use: Use) -> bool:
    """Tell whether a checkpoint was only bound to names before a read, or its items copied to another dict."""
    before = use.before
    return before is None or ((_is_only_named(before.place) or _is_copied(before.place)) and _is_as_read(before))


def _is_copied(place: Place) -> bool:
    """Tell whether a statement iterates over the items of a dict, or stores one of them in another."""
    match place.statement:
        case ast.For(iter=ast.Call(func=ast.Attribute(value=container, attr="items"))):
            return container is place.expression
        case ast.Assign(targets=[ast.Subscript(slice=key)], value=value):
            return place.expression in {key, value}
        case _:
            return False


def _is_asked_for_item(place: Place) -> bool:
    """Tell whether an item is read from a container, or its existence tested, by any key."""
    match next(ancestors(place), (None, None))[0]:
        case ast.Subscript(value=container, ctx=ast.Load()):
            return container is place.expression
        case ast.Attribute(attr=name):
            return name in _TAKING
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return True
        case _:
            return False


def _copied_into(ev: Evaluator, use: Use) -> Iterator[Place]:
    """Yield the modules whose state dict is filled: `own[key] = saved[key]`, `own[key].copy_(saved[key])`."""
    match use.place.statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name() as container)]):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript(value=container), attr="copy_"))):
            pass
        case _:
            return
    for one in ev.evaluate(use.place.at(container)):
        if isinstance(one.value, StateDict):
            yield one.value.owner


def _unreceived(ev: Evaluator, load: Load) -> list[LoadedCheckpoint]:
    """Return what is read from a checkpoint that is not seen to be loaded, or that it escapes."""
    out_of_sight = LoadedCheckpoint(load.call, load.source, None)
    found: dict[Use, LoadedCheckpoint] = {}
    for use in uses_of(ev, load.call):
        if use.before in found:
            found[use] = found[use.before]
        elif (taken := _item_around(use.place)) is not None:
            found[use] = replace(out_of_sight, state=taken)
        elif not _is_only_named(use.place):
            return [out_of_sight]
    return list(dict.fromkeys(found.values())) or [out_of_sight]


def _item_around(place: Place) -> ast.expr | None:
    """Return the expression that reads an item of a container by its key: `saved["epoch"]`."""
    around = [parent for parent, _ in ancestors(place)][:2]
    takings = ((one, item_taken(one)) for one in around if isinstance(one, ast.expr))
    return next((one for one, taken in takings if taken is not None and taken[0] is place.expression), None)


def _is_only_named(place: Place) -> bool:
    """Tell whether a statement only binds a value to a name: `saved = torch.load(path)`."""
    match place.statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value is place.expression
        case _:
            return False


def _ways_to(ev: Evaluator, place: Place) -> Iterator[Frame | None]:
    """Yield the calls of the function around a place, if all of them are known and plain."""
    scope = place.scope
    is_plain = scope.kind == "function" and not scope.is_method
    callers = ev.callers(Function(place.file, scope)) if is_plain else ()
    direct = [one for one in callers if one == Caller.of_call(one.place, 0)]
    if not callers or len(direct) < len(callers) or len(callers) > MOST_CALLERS:
        yield None
        return
    for caller in direct:
        yield Frame(scope, caller.place)


def _in_frame(place: Place | None, frame: Frame | None, scope: Scope) -> Place | None:
    if place is None or place.scope is not scope:
        return place
    return Place(place.file, place.expression, place.statement, frame, place.given)


def _paired(load: LoadedCheckpoint) -> Place | None:
    """Return the dict of `for key, value in objects.items(): value.load_state_dict(saved[key])`."""
    match load.into, load.state:
        case Place(expression=ast.Name(id=value)) as into, ast.Subscript(slice=ast.Name(id=key)):
            bound = [into.scope.bindings.get(name, ()) for name in (key, value)]
            match [(one.statement, one.selector, one.value) for found in bound for one in found]:
                case [(loop, (0,), _), (other, (1,), ast.Call(func=ast.Attribute(value=objects, attr="items")))]:
                    if loop is other:
                        return Place(into.file, objects, loop, into.frame, into.given)
    return None
