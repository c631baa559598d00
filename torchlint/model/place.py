"""A place: an expression in a file, and what may be asked about it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.finding import Edit, Step
from torchlint.model.edits.expression_edits import Edits
from torchlint.model.edits.importing_edits import named
from torchlint.model.site import Site
from torchlint.model.syntax.around import (
    bound_by,
    contexts_around,
    is_read_below,
    kept_by,
    parent_of,
    tests_behind,
)
from torchlint.model.torch_facts import canonical
from torchlint.model.values.possible import Device, Imported, Literal, Possible, Tensor
from torchlint.model.worlds import ANYWHERE, WITHOUT_CUDA, World

if TYPE_CHECKING:
    from torchlint.model.devices.placement import Whereabouts
    from torchlint.model.parallel.wrappers import Wrapping
    from torchlint.model.values.frame import Frame


class Place(Site):
    """An expression where it stands, and what a rule may ask about it."""

    __slots__ = ()

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

    def is_same_at(self, there: Place) -> bool:
        """Tell whether a name is at another place of the function what it is here."""
        from torchlint.model.edits.reuse import means_the_same

        return means_the_same(self, there)

    @property
    def is_recorded(self) -> bool:
        """Tell whether autograd records what is computed here, as far as the function shows."""
        from torchlint.model.training.recording import records

        return records(self)

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
        return tuple(self.file.place(node, statement) for node, statement in contexts_around(self))

    @property
    def tests(self) -> tuple[tuple[Place, bool], ...]:
        """Return the tests that it has behind it, innermost first, each with how it came out."""
        return tuple((self.file.place(one.test, one.statement), one.holds) for one in tests_behind(self))

    def possibilities(self, world: World = ANYWHERE) -> Possible:
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

    def wrappings(self, world: World = ANYWHERE) -> tuple[Wrapping, ...]:
        """Return how it may be a module wrapped in DataParallel and the like, once for each way."""
        return self.file.project.evaluator(world).wrappings(self)

    @property
    def is_wrapped(self) -> bool:
        """Tell whether it is a wrapped module for sure."""
        possible = self.possibilities()
        return bool(possible) and set(possible) == {wrapping.possibility for wrapping in self.wrappings()}

    def whereabouts(self, world: World = ANYWHERE) -> Whereabouts | None:
        """Return where it is as a module, None where nobody knows or it was never moved."""
        return self.file.project.evaluator(world).whereabouts(self)

    def has_attribute(self, name: str) -> bool | None:
        """Tell whether it has an attribute whatever it is, None where that is open."""
        ev = self.file.project.evaluator(ANYWHERE)
        answers = {ev.has_attribute(one, name) for one in self.possibilities()}
        return answers.pop() if len(answers) == 1 else None

    @property
    def is_guarded(self) -> bool:
        """Tell whether machines without CUDA never come here, or come here prepared."""
        return self.file.project.evaluator(WITHOUT_CUDA).is_guarded(self)

    @property
    def every_step(self) -> tuple[Step, ...] | None:
        """Return the way from a training loop to here if it runs with every step, else None."""
        return self.file.project.training.every_step(self)
