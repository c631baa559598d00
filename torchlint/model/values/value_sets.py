"""What an expression may be, and by which calls the value came there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.values.atoms import (
    HOST as HOST,
    SOME_INDEX as SOME_INDEX,
    Array as Array,
    Built as Built,
    Device as Device,
    Imported as Imported,
    Literal as Literal,
    Number as Number,
    Tensor as Tensor,
    Text as Text,
    Unknown as Unknown,
)

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class StateDict:
    """The state dict of `owner`: `model` in `model.state_dict()`."""

    owner: Place


@dataclass(frozen=True, slots=True)
class PythonFile:
    """A source file of the project, imported."""

    file: ParsedFile


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project; `receiver` is what it is bound to, `fixed` the `partial(…)` that bound arguments.

    `is_given` says that its object is the first argument of the call that runs it, which passes on the others.
    """

    file: ParsedFile
    scope: Scope
    receiver: Possibility | None = field(default=None, compare=False)
    fixed: Place | None = None
    is_given: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the project."""

    file: ParsedFile
    scope: Scope


Moves: TypeAlias = "tuple[tuple[frozenset[Device | None], Device | None], ...]"


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the project; its origin is the call that made it, if that is known."""

    kind: Class
    moves: Moves = ()
    """Where its tensors are, as of a display: a module returns its outputs in an object."""


@dataclass(frozen=True, slots=True)
class Display:
    """A list, tuple, set, dict, comprehension or lambda, written at its origin."""

    place: Place
    is_recorded: bool = True
    """Whether its elements may have a graph; not if the call that wrote it was under `no_grad`."""
    moves: Moves = ()
    """Where its tensors are, if not where it was written: those on some devices are on another, by one after the other.

    A module returns its outputs on its own device, which is unknown inside its `forward`.
    """


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple whose items are known without a display: what `enumerate` yields."""

    items: tuple[ValueSet, ...]


@dataclass(frozen=True, slots=True)
class Iterator:
    """An iterable that yields these, one after the other."""

    items: ValueSet


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generator function of the project returns when called."""

    function: Function
    frame: Frame | None


@dataclass(frozen=True, slots=True)
class Options:
    """The result of `parse_args`; its attributes are looked up among the options that the project declares."""


Value: TypeAlias = (
    "Unknown | Literal | Text | Number | Array | Device | Tensor | Built | StateDict | Imported | PythonFile"
    " | Function | Class | Instance | Display | Tuple | Iterator | Generated | Options"
)


class Possibility:
    """One abstract value that an expression may have, where it was made, and its path from there.

    There are more of these than of all else, so the class is plain: frozen dataclasses take long to construct.
    """

    __slots__ = ("_hash", "origin", "story", "value")

    def __init__(self, value: Value, origin: Place | None = None, story: tuple[Step, ...] = ()) -> None:
        self.value = value
        self.origin = origin
        self.story = story
        self._hash = 0

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash((self.value, self.origin))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Possibility) and self.value == other.value and self.origin == other.origin

    def __repr__(self) -> str:
        return f"Possibility({self.value!r}, {self.origin!r})"

    def of_value(self, value: Value) -> Possibility:
        """Return another value with the same origin and story."""
        return Possibility(value, self.origin, self.story)

    def with_step(self, step: Step) -> Possibility:
        """Return the same, with a step added to its story."""
        if step in self.story or len(self.story) >= 6:
            return self
        return Possibility(self.value, self.origin, (*self.story, step))


ValueSet: TypeAlias = "tuple[Possibility, ...]"

UNKNOWN: ValueSet = (Possibility(Unknown()),)
CUT: ValueSet = (Possibility(Unknown(is_cut=True)),)


def known(value: Value, origin: Place | None = None) -> ValueSet:
    """Return the one thing that an expression is."""
    return (Possibility(value, origin),)


Iterations: TypeAlias = "tuple[tuple[ast.expr, int], ...]"


class Frame:
    """One call on the path to a place: inside `function`, a lambda included, parameters have what `call` passes.

    If all calls on one receiver are alike, `call` is None: parameters have what any caller passes. If the receiver
    itself is an argument (`is_given`), they have what is passed after it: `scaler.step(optimizer, closure)`. A call
    that continues the one around it (`goes_on`), as `super().__init__()` does, adds no depth.

    A place in one iteration of a loop has a frame that says which it is: `iterations` has what the loop iterates over,
    as written, and the number, 0 for the first one.
    """

    __slots__ = ("_hash", "call", "depth", "fixed", "function", "goes_on", "is_given", "iterations", "receiver")

    def __init__(
        self,
        function: Scope | ast.Lambda,
        call: Place | None,
        receiver: Possibility | None = None,
        fixed: Place | None = None,
        *,
        is_given: bool = False,
        goes_on: bool = False,
        iterations: Iterations = (),
    ) -> None:
        self.function = function
        self.call = call
        self.receiver = receiver
        self.fixed = fixed
        self.is_given = is_given
        self.goes_on = goes_on
        self.iterations = iterations
        self.depth: int = (0 if goes_on else 1) + (self.outer.depth if self.outer else 0)
        self._hash = hash((id(function), call, receiver, iterations))

    @property
    def outer(self) -> Frame | None:
        """Return the frame in which the call was made."""
        return self.call.frame if self.call is not None else None

    def called_in(self, outer: Frame | None) -> Frame:
        """Return the same, with the call made in a frame."""
        call = self.call.within(outer) if self.call is not None else None
        return self._like(call, self.iterations)

    def iterating(self, iterations: Iterations) -> Frame:
        """Return the same, in these iterations of loops."""
        return self._like(self.call, iterations)

    def _like(self, call: Place | None, iterations: Iterations) -> Frame:
        return Frame(
            self.function,
            call,
            self.receiver,
            self.fixed,
            is_given=self.is_given,
            goes_on=self.goes_on,
            iterations=iterations,
        )

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Frame)
            and self.function is other.function
            and self.call == other.call
            and self.receiver == other.receiver
            and self.fixed == other.fixed
            and self.iterations == other.iterations
        )
