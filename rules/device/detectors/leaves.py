"""Leaves that are lost: a tensor that requires gradients is moved at once, and only the copy is kept.

The copy is computed from the leaf, so gradients go to the leaf, to which there is no reference.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.items import item
from torchlint.model.devices.moving import moved_to
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import HOST, Class, Display, Function, Imported, Instance, Tensor, ValueSet
from torchlint.model.values.values_of_names import names_read
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.backward import RETAINING
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.dtypes import OTHER_FLOATS
from torchlint.pytorch.factories import FACTORIES
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.pure import PURE
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import PARAMETER, VARIABLE
from torchlint.syntax.arguments import is_flag, passed
from torchlint.syntax.around import class_around
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

from .gpu_premises import goes_to_gpu
from .premises import runs_by_default

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

_MOST_FILES = 20


@dataclass(frozen=True, slots=True)
class LostLeaf:
    """A call that moves a leaf to which there is no other reference."""

    place: Call
    made: Call
    """The call that makes the leaf."""
    is_parameter: bool
    story: tuple[Step, ...]
    """Where the copy is used as a leaf, if anywhere but here."""
    is_computed: bool = False
    """Whether something is computed from the leaf before the move, so that no device can save it."""

    @property
    def premises(self) -> tuple[Step, ...]:
        """Return the steps that assume that the move runs, and that it copies, where no line in view shows it."""
        ev = self.place.file.project.evaluator(WITH_CUDA)
        copies = self.is_computed or self.place.method in OTHER_FLOATS
        return (*runs_by_default(ev, self.place), *(() if copies else goes_to_gpu(ev, self.place)))


def lost_leaves(ev: Evaluator, file: ParsedFile) -> Iterator[LostLeaf]:
    """Yield where a file moves leaves and keeps the copies, in source order."""
    for call in method_calls_of(file, frozenset((*TO_GPU, *OTHER_FLOATS))):
        owner = call.owner
        if owner is None or not _is_all_that_is_kept(call, owner):
            continue
        computed = _computed_from(owner)
        made = computed or _leaf(ev, owner)
        if made is None or not _copies(ev, call, owner) or _is_retained(ev, call):
            continue
        if computed is not None:
            if (story := _use(ev, call)) is not None:
                yield LostLeaf(call, made, _is_parameter(made), story, is_computed=True)
            continue
        is_parameter = _is_parameter(made)
        is_passing = made.key == owner.key
        is_rebound = owner.code in call.bound_to
        is_missed = is_passing and not _is_fake_loss(ev, call) and not _is_updated_by_hand(call)
        if is_parameter and (is_missed or (is_rebound and owner.owner is not None)):
            yield LostLeaf(call, made, True, ())
        elif (is_passing or is_rebound) and (story := _use(ev, call)) is not None:
            yield LostLeaf(call, made, is_parameter, story)


def _is_fake_loss(ev: Evaluator, call: Call) -> bool:
    """Tell whether a module's method returns a dummy loss, stored in no attribute, to call `backward()` on."""
    around = class_around(call)
    if not call.is_returned or around is None or not is_module(ev, Instance(Class(call.file, around))):
        return False
    callers = ev.callers(Function(call.file, call.scope))
    return not any(_is_made_attribute(caller.place) for caller in callers)


def _is_updated_by_hand(call: Call) -> bool:
    """Tell whether the name of the copy is bound to what is computed from it: `w = w - rate * slope`."""
    for target in call.bound_to:
        for binding in call.scope.bindings.get(target, ()):
            if binding.statement is call.statement or binding.value is None:
                continue
            names = (one.id for one in walk(binding.value) if isinstance(one, ast.Name))
            if isinstance(binding.statement, ast.AugAssign) or target in names:
                return True
    return False


def _is_made_attribute(place: Place) -> bool:
    statement = place.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)


def _is_all_that_is_kept(call: Call, owner: Place) -> bool:
    """Tell whether there is no other reference to the leaf: it has no name, or its name is bound to the copy."""
    return isinstance(owner.expression, (ast.Call, ast.BinOp, ast.UnaryOp)) or owner.code in call.bound_to


def _computed_from(owner: Place) -> Call | None:
    """Return the one call that makes a leaf in an operation: `torch.ones(3, requires_grad=True)` of twice that."""
    nodes = [node for node in closure(owner.expression, _operands) if node is not owner.expression]
    calls = (call_at(owner.at(node)) for node in nodes)
    leaves = [call for call in calls if call is not None and _makes_leaf(call)]
    return leaves[0] if len(leaves) == 1 else None


def _operands(node: ast.expr) -> tuple[ast.expr, ...]:
    match node:
        case ast.UnaryOp(operand=operand):
            return (operand,)
        case ast.BinOp(left=left, right=right):
            return (left, right)
        case ast.Call(func=ast.Attribute(value=ast.Call() | ast.BinOp() as operand, attr=name)) if name in PURE:
            return (operand,)
        case _:
            return ()


def _leaf(ev: Evaluator, owner: Place) -> Call | None:
    """Return the call that makes the leaf that an expression is, None if it may be anything else."""
    if (call := call_at(owner)) is not None:
        return call if _makes_leaf(call) else None
    origins = {one.origin for one in ev.evaluate(owner) if isinstance(one.value, Tensor)}
    origin = origins.pop() if len(origins) == 1 else None
    made = call_at(origin) if origin is not None else None
    return made if made is not None and len(ev.evaluate(owner)) == 1 and _makes_leaf(made) else None


def _makes_leaf(call: Call) -> bool:
    """Tell whether a call makes a tensor that requires gradients and was computed from nothing."""
    flag = passed(call.expression, "requires_grad")
    is_asked = is_flag(flag, True)
    if flag is not None and not is_asked:
        return False
    names = call.callee.names
    if PARAMETER in names:
        return True
    if names & (FACTORIES | {VARIABLE}):
        return is_asked
    if call.method != "requires_grad_" or call.arguments or call.keywords or call.owner is None:
        return False
    inner = call_at(call.owner)
    return inner is not None and bool(inner.callee.names & FACTORIES)


def _is_parameter(call: Call) -> bool:
    return PARAMETER in call.callee.names


def _copies(ev: Evaluator, call: Call, owner: Place) -> bool:
    """Tell whether the call makes a copy on some machine: a tensor that is there already is returned itself."""
    if call.method in OTHER_FLOATS:
        return True
    before = {one.value.device for one in ev.evaluate(owner) if isinstance(one.value, Tensor)}
    argument = call.argument("device", 0)
    if call.method == "to":
        if argument is None or any(isinstance(one.value, Imported) for one in ev.evaluate(argument)):
            return False  # `x.to(torch.float32)`
        if argument.code in owner.code.partition("device=")[2]:
            return False
    if argument is not None and _is_where_it_was_made(argument, owner):
        return False
    after = moved_to(ev, call, call.method, None)
    return after != HOST and not (after is not None and before == {after})


def _is_where_it_was_made(device: Place, owner: Place) -> bool:
    """Tell whether a leaf goes where a tensor is that it is made of: `nn.Parameter(2 * x).to(x.device)`."""
    match device.expression:
        case ast.Attribute(value=ast.Name(id=name), attr="device"):
            return name in names_read(owner)
        case _:
            return False


def _is_retained(ev: Evaluator, call: Call) -> bool:
    """Tell whether the program calls `retain_grad` on the copy."""
    for word in RETAINING:
        for node, statement in call.file.attribute_reads(word):
            if _comes_from(ev.evaluate(Place(call.file, node.value, statement)), call):
                return True
    return False


def _use(ev: Evaluator, call: Call) -> tuple[Step, ...] | None:
    """Return where the copy is used as a leaf: its gradient is read, or an optimizer receives it."""
    for file in _files(ev, call):
        for node, statement in file.attribute_reads("grad"):
            place = Place(file, node, statement)
            if _comes_from(ev.evaluate(place.at(node.value)), call):
                return (place.step("its gradient is read here, and is None"),)
        for given, optimizer in _optimized(ev, file):
            if _comes_from(given, call):
                return (optimizer.step("passed to an optimizer here, which raises"),)
    return None


def _files(ev: Evaluator, call: Call) -> Iterator[ParsedFile]:
    """Yield the files that may use what a file makes: itself, and those that import it."""
    yield call.file
    library = ev.project.library
    for path in list(library.holding(call.file.location.stem))[:_MOST_FILES]:
        if path in library.holding("grad") or path in library.holding("optim"):
            other = ev.project.parsed(path)
            if other is not None and other is not call.file:
                yield other


def _optimized(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[ValueSet, Place]]:
    for node, statement in file.index.expressions(ast.Call):
        if not node.args or not file.says("optim"):
            continue
        call = Call(file, node, statement)
        if names_a(call.callee.names, Role.OPTIMIZER):
            yield _optimizer_arguments(ev, call), call


def _optimizer_arguments(ev: Evaluator, call: Call) -> ValueSet:
    """Return the parameters passed to an optimizer: tensors, or groups of them."""
    given = elements_of(ev, ev.evaluate(call.arguments[0])) if call.arguments else ()
    groups = [item(ev, one, "params") for one in given if isinstance(one.value, Display)]
    return either(given, *(elements_of(ev, group) for group in groups))


def _comes_from(possible: ValueSet, call: Call) -> bool:
    return any(one.origin is not None and one.origin.key == call.key for one in possible)
