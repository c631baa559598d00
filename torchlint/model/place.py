"""A place: an expression in a file, and what may be asked about it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchlint.edits.expression_edits import Edits
from torchlint.edits.importing_edits import named
from torchlint.finding import Edit
from torchlint.model.values.value_sets import Device, Frame, Imported, Literal, Tensor, ValueSet
from torchlint.model.worlds import ANYWHERE, WITHOUT_CUDA, World
from torchlint.pytorch.aliases import canonical
from torchlint.syntax.arguments import has_open_keywords
from torchlint.syntax.around import bound_by, contexts_around, dominating_conditions, is_read_below, kept_by, parent_of
from torchlint.syntax.facts import NOTHING_GIVEN, Given
from torchlint.syntax.scope import Parameter
from torchlint.syntax.site import Site

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


class Place(Site):
    """An expression in its file and call context, and what a rule may ask about it.

    Places are the keys of all memos, so their hash is computed once.
    """

    __slots__ = ("_hash", "frame", "given")
    file: ParsedFile

    def __init__(
        self,
        file: ParsedFile,
        expression: ast.expr,
        statement: ast.stmt,
        frame: Frame | None = None,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        self.file = file
        self.expression = expression
        self.statement = statement
        self.frame = frame
        self.given = given
        """Assumptions besides the conditions of the place itself: tests on the path of the query, by their text."""
        self._hash = hash((id(expression), frame, given))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Place)
            and self.expression is other.expression
            and self.statement is other.statement
            and self.frame == other.frame
            and self.given == other.given
        )

    def at(self, expression: ast.expr) -> Place:
        """Return another expression of the same statement."""
        return Place(self.file, expression, self.statement, self.frame, self.given)

    def within(self, frame: Frame | None) -> Place:
        """Return the same expression, reached by a call."""
        return Place(self.file, self.expression, self.statement, frame, self.given)

    @property
    def edits(self) -> Edits:
        """Return what can be done to the expression, for a fix."""
        return Edits(self)

    def named(self, full: str) -> tuple[str, tuple[Edit, ...]] | None:
        """Return how something is called here, with the import that it takes; None if that name is taken."""
        return named(self, full)

    @property
    def owner(self) -> Place | None:
        """Return what stands before the dot or bracket: `model` of `model.encoder`."""
        match self.expression:
            case ast.Attribute(value=owner) | ast.Subscript(value=owner):
                return self.at(owner)
            case _:
                return None

    @property
    def parent(self) -> Place | None:
        """Return the expression directly around this one, None if that is the statement."""
        parent = parent_of(self)
        return self.at(parent) if parent is not None else None

    @property
    def is_read_below(self) -> bool:
        """Tell whether a name is read again below in its function, or an attribute anywhere."""
        return is_read_below(self)

    @property
    def bound_to(self) -> tuple[str, ...]:
        """Return the names and attributes that are assigned the whole expression, as they are written."""
        return bound_by(self)

    @property
    def kept_as(self) -> tuple[str, ...]:
        """Return the names and attributes that are assigned it, or what its methods return: `net = Net().cuda()`."""
        return kept_by(self)

    @property
    def contexts(self) -> tuple[Place, ...]:
        """Return what the `with` statements around it enter, innermost first."""
        return tuple(Place(self.file, node, statement) for node, statement in contexts_around(self))

    @property
    def tests(self) -> tuple[tuple[Place, bool], ...]:
        """Return the dominating conditions, innermost first, each with its outcome."""
        return tuple((Place(self.file, one.test, one.statement), one.holds) for one in dominating_conditions(self))

    def possibilities(self, world: World = ANYWHERE) -> ValueSet:
        """Return what the expression may be; bottom if its definitions are a mere cycle."""
        return self.file.project.evaluator(world).evaluate(self)

    @property
    def names(self) -> frozenset[str]:
        """Return the full names of what it may stand for outside the project: `torch.nn.Linear`."""
        return self.names_in(ANYWHERE)

    def names_in(self, world: World) -> frozenset[str]:
        """Return the full names of what it may stand for in a world."""
        possible = self.possibilities(world)
        return frozenset(canonical(one.value.name) for one in possible if isinstance(one.value, Imported))

    @property
    def literals(self) -> tuple[str | bytes | int | float | complex | bool | None, ...] | None:
        """Return the constants that it may be, None if it may be something else."""
        values = [one.value for one in self.possibilities()]
        known = tuple(value.value for value in values if isinstance(value, Literal))
        return known if len(known) == len(values) else None

    @property
    def is_tensor(self) -> bool:
        """Tell whether it is surely a tensor."""
        possible = self.possibilities()
        return bool(possible) and all(isinstance(one.value, Tensor) for one in possible)

    @property
    def is_module(self) -> bool:
        """Tell whether it is surely an nn.Module."""
        return self.file.project.evaluator(ANYWHERE).is_module(self)

    def devices(self, world: World = ANYWHERE) -> tuple[Device | None, ...]:
        """Return the devices that it may be on as a tensor, None for an unknown one; none if it is no tensor."""
        return tuple(one.value.device for one in self.possibilities(world) if isinstance(one.value, Tensor))

    def truth(self, world: World = ANYWHERE) -> bool | None:
        """Tell its outcome as a test, None if that is undecided."""
        return self.file.project.evaluator(world).truth(self)

    def has_attribute(self, name: str) -> bool | None:
        """Tell whether every possibility has an attribute, None if that is undecided."""
        ev = self.file.project.evaluator(ANYWHERE)
        answers = {ev.has_attribute(one, name) for one in self.possibilities()}
        return answers.pop() if len(answers) == 1 else None

    @property
    def is_guarded(self) -> bool:
        """Tell whether machines without CUDA never reach this place, or are handled there."""
        return self.file.project.evaluator(WITHOUT_CUDA).is_guarded(self)


@dataclass(frozen=True, slots=True)
class Caller:
    """A call of a function, or a place that passes the function to something that calls it (`mp.spawn(train, …)`)."""

    place: Place
    positional: tuple[ast.expr, ...]
    keywords: Mapping[str, ast.expr] = field(hash=False)
    is_open: bool
    """Whether `*args` or `**kwargs` may pass anything."""
    bound: int = 0
    """How many parameters are filled before the first positional one: `self`, or the rank that `mp.spawn` passes."""
    is_complete: bool = True
    """Whether a parameter that is not passed here is not passed at all."""
    fixed: Caller | None = None
    """The `partial(…)` that bound the first arguments."""
    is_of_user: bool = False
    """Whether it passes the function to a command line, where the user chooses the arguments: `fire.Fire(train)`."""
    written: Place | None = None
    """Where the arguments are written, if not in the call: `jobs = [(x, device) for x in xs]`, `pool.map(f, jobs)`."""

    @classmethod
    def of_call(cls, place: Place, bound: int, fixed: Place | None = None) -> Caller:
        """Return the caller for a plain call, of a function or of a `partial(…)` of it."""
        call = place.expression
        assert isinstance(call, ast.Call)
        positional = tuple(call.args)
        star = next((i for i, argument in enumerate(positional) if isinstance(argument, ast.Starred)), None)
        keywords = {word.arg: word.value for word in call.keywords if word.arg is not None}
        is_open = star is not None or has_open_keywords(call)
        before = cls.of_partial(fixed, bound) if fixed is not None else None
        bound += len(before.positional) if before is not None else 0
        return cls(place, positional[:star], keywords, is_open, bound, fixed=before)

    @classmethod
    def of_partial(cls, place: Place, bound: int) -> Caller:
        """Return what `partial(function, …)` passes."""
        call = cls.of_call(place, bound)
        return replace(call, positional=call.positional[1:], is_complete=False)

    @classmethod
    def of_frame(cls, frame: Frame, call: Place) -> Caller:
        """Return the call that a frame was entered by."""
        caller = cls.of_call(call, 1 if frame.receiver is not None else 0, frame.fixed)
        return replace(caller, positional=caller.positional[1:]) if frame.is_given else caller

    def argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        """Return the places passed for a parameter: none if it is left to its default, None if unknown."""
        own = self._own_argument(parameter)
        return self.fixed.argument(parameter) or own if self.fixed is not None and not own else own

    def _own_argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        at = (self.written or self.place).at
        if parameter.star == "*":
            rest = self.positional[max((parameter.position or 0) - self.bound, 0) :]
            return None if self.is_open else tuple(at(one) for one in rest)
        if parameter.name in self.keywords:
            return (at(self.keywords[parameter.name]),)
        if parameter.position is not None:
            position = parameter.position - self.bound
            if 0 <= position < len(self.positional):
                return (at(self.positional[position]),)
            if position < 0:
                return None
        return None if self.is_open or parameter.star or not self.is_complete else ()


@dataclass(frozen=True, slots=True)
class Residence:
    """The device of a module, and the call that moved it there; none if it was made there, or several did."""

    device: Device
    moved_at: Place | None = None
