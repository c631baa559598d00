"""A place: an expression in a file, and what may be asked about it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchlint.edits.expression_edits import Edits
from torchlint.edits.importing_edits import named
from torchlint.finding import Edit
from torchlint.model.values.value_sets import NOTHING_GIVEN, Device, Frame, Given, Imported, Literal, Tensor, ValueSet
from torchlint.model.worlds import ANYWHERE, WITHOUT_CUDA, World
from torchlint.pytorch.symbols import canonical
from torchlint.syntax.arguments import has_open_keywords
from torchlint.syntax.around import bound_by, contexts_around, dominating_conditions, is_read_below, kept_by, parent_of
from torchlint.syntax.scope import Parameter
from torchlint.syntax.site import Site

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


class Place(Site):
    """An expression where it stands, by the calls that led there, and what a rule may ask about it.

    Places are the keys of everything that the model remembers, so their hash is made once.
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
        """What is presupposed besides the conditions of the place itself: tests of whoever asked, by their text."""
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
        """Return the same expression, come to by a call."""
        return Place(self.file, self.expression, self.statement, frame, self.given)

    @property
    def edits(self) -> Edits:
        """Return what can be done to the expression, for a fix."""
        return Edits(self)

    def named(self, full: str) -> tuple[str, tuple[Edit, ...]] | None:
        """Return how something is called here, with the import that it takes; None where that name is taken."""
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
        """Return the expression right around this one, None where the statement is."""
        parent = parent_of(self)
        return self.at(parent) if parent is not None else None

    @property
    def is_read_below(self) -> bool:
        """Tell whether the function goes on to read a name, or anybody an attribute."""
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
        """Return the tests that it has behind it, innermost first, each with how it came out."""
        return tuple((Place(self.file, one.test, one.statement), one.holds) for one in dominating_conditions(self))

    def possibilities(self, world: World = ANYWHERE) -> ValueSet:
        """Return what the expression may be; nothing at all where only a circle of definitions would tell."""
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
        """Return the constants that it may be, None where it may be something else."""
        values = [one.value for one in self.possibilities()]
        known = tuple(value.value for value in values if isinstance(value, Literal))
        return known if len(known) == len(values) else None

    @property
    def is_tensor(self) -> bool:
        """Tell whether it is a tensor for sure."""
        possible = self.possibilities()
        return bool(possible) and all(isinstance(one.value, Tensor) for one in possible)

    @property
    def is_module(self) -> bool:
        """Tell whether it is an nn.Module for sure."""
        return self.file.project.evaluator(ANYWHERE).is_module(self)

    def devices(self, world: World = ANYWHERE) -> tuple[Device | None, ...]:
        """Return the devices that it may be on as a tensor, None for one that nobody knows; none if it is no tensor."""
        return tuple(one.value.device for one in self.possibilities(world) if isinstance(one.value, Tensor))

    def truth(self, world: World = ANYWHERE) -> bool | None:
        """Tell how it comes out as a test, None where that is open."""
        return self.file.project.evaluator(world).truth(self)

    def has_attribute(self, name: str) -> bool | None:
        """Tell whether it has an attribute whatever it is, None where that is open."""
        ev = self.file.project.evaluator(ANYWHERE)
        answers = {ev.has_attribute(one, name) for one in self.possibilities()}
        return answers.pop() if len(answers) == 1 else None

    @property
    def is_guarded(self) -> bool:
        """Tell whether machines without CUDA never come here, or come here prepared."""
        return self.file.project.evaluator(WITHOUT_CUDA).is_guarded(self)


@dataclass(frozen=True, slots=True)
class Caller:
    """A call of a function, or a place that hands the function on to be called (`mp.spawn(train, …)`)."""

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
    """The `partial(…)` that passed the first arguments already."""
    is_of_user: bool = False
    """Whether it hands the function to the command line, where the user passes what he likes: `fire.Fire(train)`."""

    @classmethod
    def of_call(cls, place: Place, bound: int, fixed: Place | None = None) -> Caller:
        """Return the caller that a plain call is, of a function or of what `partial(…)` made of it."""
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
        """Return the call that led into a frame."""
        caller = cls.of_call(call, 1 if frame.receiver is not None else 0, frame.fixed)
        return replace(caller, positional=caller.positional[1:]) if frame.is_given else caller

    def argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        """Return the places passed for a parameter: none where it is left to its default, None where nobody knows."""
        own = self._own_argument(parameter)
        return self.fixed.argument(parameter) or own if self.fixed is not None and not own else own

    def _own_argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        if parameter.star == "*":
            rest = self.positional[max((parameter.position or 0) - self.bound, 0) :]
            return None if self.is_open else tuple(self.place.at(one) for one in rest)
        if parameter.name in self.keywords:
            return (self.place.at(self.keywords[parameter.name]),)
        if parameter.position is not None:
            position = parameter.position - self.bound
            if 0 <= position < len(self.positional):
                return (self.place.at(self.positional[position]),)
            if position < 0:
                return None
        return None if self.is_open or parameter.star or not self.is_complete else ()
