"""Tensors that stay on the host while the tensors they are used with are on the device, by their origin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.devices.host_programs import shows_no_gpu
from torchlint.model.edits.reuse import device_at_hand
from torchlint.model.place import Place
from torchlint.model.tensors.batches import is_batch
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Instance
from torchlint.model.worlds import ANYWHERE, WITH_CUDA
from torchlint.pytorch.factories import FROM_MEMORY
from torchlint.syntax.around import class_around, loops_around

from .mixing import Mix, mixes
from .moved_owners import owner_on_gpu
from .premises import premises
from .provenance import is_factory, is_made_beside, is_made_for_caller, passes_through, roots
from .unpacking import unpacked_in

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

MisplacedKind: TypeAlias = Literal["attribute", "factory", "batch", "other"]


@dataclass(frozen=True, slots=True)
class MisplacedTensor:
    """A tensor on the host that meets something on the device."""

    kind: MisplacedKind
    """A plain attribute of a module; the result of a factory; an input of a module or loss; any other."""
    place: Place
    """The place of the mistake: the attribute's assignment, the factory call, the argument, the operation."""
    used: Place
    """The operation that raises."""
    other: Place
    """What is on the device."""
    story: tuple[Step, ...]
    """The path of the tensor to its use."""

    @property
    def is_unpacked(self) -> bool:
        """Tell whether a call unpacks the place: the tensors are items of it."""
        call = self.used.expression
        return isinstance(call, ast.Call) and self.place.expression in unpacked_in(call)

    @property
    def is_of_memory(self) -> bool:
        """Tell whether the place makes a tensor of the host's memory: then it can only be moved."""
        call = self.place.expression
        return isinstance(call, ast.Call) and not self.place.at(call.func).names.isdisjoint(FROM_MEMORY)

    @property
    def owner(self) -> tuple[Step, ...]:
        """Return the steps that show, or assume, that the operation runs, and the other operand is on the device."""
        return premises(self.place.file.project.evaluator(WITH_CUDA), self.used, self.other)

    @property
    def on_gpu(self) -> tuple[Step, ...]:
        """Return the steps that show why the other operand is on the device."""
        return (*self.owner, self.other.step("on the GPU here"))

    @property
    def is_up_to_callers(self) -> bool:
        """Tell whether no call in view shows that the module is on a GPU, and any call may name the tensor's device."""
        owner = owner_on_gpu(self.place.file.project.evaluator(WITH_CUDA), self.other)
        return is_made_for_caller(self.place) and any(step.is_assumed for step in owner)

    @property
    def at_hand(self) -> Place | None:
        """Return a tensor that is on the device already when the place is reached."""
        if self.used.file is not self.place.file:
            return None
        return device_at_hand(self.place.file.project.evaluator(WITH_CUDA), self.place, self.used)


def misplaced_tensors(ev: Evaluator, file: ParsedFile, kind: MisplacedKind) -> Iterator[MisplacedTensor]:
    """Yield the tensors of a kind that a file leaves on the host; `ev` has a GPU."""
    return (found for found in _misplaced(ev, file) if found.kind == kind)


@tabled(tuple[MisplacedTensor, ...]())
def _misplaced(ev: Evaluator, file: ParsedFile) -> tuple[MisplacedTensor, ...]:
    """Return the same of any kind: several rules query them."""
    return tuple(found for found in _found(ev, file) if not _stays_on_host(ev, found.used))


def _stays_on_host(ev: Evaluator, operation: Place) -> bool:
    """Tell whether no line in view leads to a GPU; the class of a module may still be imported, and moved."""
    return class_around(operation) is None and shows_no_gpu(ev, operation.file)


def _found(ev: Evaluator, file: ParsedFile) -> Iterator[MisplacedTensor]:
    """Yield the tensors of a file that are left on the host, once for each place to fix."""
    seen: set[tuple[str, int, int, int, int]] = set()
    mixed: set[ast.expr] = set()
    for mix in mixes(ev, file):
        # The result of an operation that raises is no second mistake.
        is_consequence = passes_through(mix.host, frozenset(mixed))
        mixed.add(mix.place.expression)
        if is_consequence:
            continue
        for found in _classified(ev, file, mix):
            if found.place.key not in seen:
                seen.add(found.place.key)
                yield found


def _classified(ev: Evaluator, file: ParsedFile, mix: Mix) -> Iterator[MisplacedTensor]:
    sources = list(dict.fromkeys(roots(ev, mix.host)))
    attributes = [one for source in sources for one in _kept_by_module(source)]
    if attributes:
        for one in attributes:
            place = one if one.file is file else mix.host
            yield MisplacedTensor("attribute", place, mix.place, mix.other, ())
        return
    # What is made on another tensor's device needs no other device.
    factories = [one for one in sources if is_factory(ev, one) and not is_made_beside(ev, one)]
    if factories and len(factories) == len(sources) and _is_fresh(ev, mix, factories):
        for one in factories:
            place = one if one.file is file else mix.host
            yield MisplacedTensor("factory", place, mix.place, mix.other, ())
        return
    made = mix.made
    steps = made.story
    if made.origin is not None and made.origin.file is not None:
        words = "batches are made on the CPU here" if is_batch(ev, made) else "made on the CPU here"
        steps = (made.origin.step(words), *steps)
    if mix.is_call or is_batch(ev, made):
        place = mix.host if mix.host.file is file else mix.place
        yield MisplacedTensor("batch", place, mix.place, mix.other, steps)
    else:
        yield MisplacedTensor("other", mix.place, mix.place, mix.other, steps)


def _kept_by_module(source: Place) -> Iterator[Place]:
    """Yield the assignments that put a tensor into the attribute of a module that a place reads."""
    match source.expression:
        case ast.Attribute(value=ast.Name(id=receiver), attr=name):
            pass
        case _:
            return
    scope = source.scope
    kind = class_around(source)
    if kind is None or not scope.parameters or scope.parameters[0].name != receiver:
        return
    ev = source.file.project.evaluator(ANYWHERE)
    own = Class(source.file, kind)
    if not is_module(ev, Instance(own)):
        return
    values = [place for one in family(ev, own) if isinstance(one, Class) for place in _stored_into(one, name)]
    yield from values or [source]


def _stored_into(kind: Class, name: str) -> Iterator[Place]:
    """Yield what the methods of a class assign to an attribute."""
    for store in kind.file.index.attribute_stores(name):
        if store.value is not None and kind.file.index.home[store.statement][0].scope.outer is kind.scope:
            yield Place(kind.file, store.value, store.statement)


def _is_fresh(ev: Evaluator, mix: Mix, factories: list[Place]) -> bool:
    """Tell whether factories make their tensors repeatedly: in a method of a module, or in a loop."""
    for one in factories:
        kind = class_around(one)
        in_module = kind is not None and is_module(ev, Instance(Class(one.file, kind)))
        in_loop = one.scope is mix.place.scope and any(True for _ in loops_around(one))
        called_by_module = class_around(mix.place) is not None and one.scope is not mix.place.scope
        if not (in_module or in_loop or called_by_module):
            return False
    return True
