"""Training steps inside an expression: `losses = [step(batch) for batch in loader]`, `sum(map(step, loader))`.

What is beside such an expression runs once for all of its steps.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.repeating import asks_each
from torchlint.model.training.trials import builds_what_it_trains
from torchlint.syntax.walk import COMPREHENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope


class Comprehended:
    """The expressions of a project that repeat training steps, each with its place."""

    def __init__(self) -> None:
        self._places: dict[ast.expr, Place] = {}
        self._around: set[LoopNode] = set()
        self._beside: set[LoopNode] = set()

    def note(self, ev: Evaluator, chain: Sequence[Place], loops: Iterable[LoopNode]) -> None:
        """Note what repeats a step within a statement, and which loops repeat the path to it.

        `chain` are a call that leads to the step, the calls on the path, and the step itself.
        """
        around = _repeating(chain)
        if around is not None and not builds_what_it_trains(ev, chain[0].statement, chain):
            self._places.setdefault(around, chain[0].at(around))
        is_within = any(self.around(place) is not None for place in chain[:-1])
        (self._around if is_within else self._beside).update(loops)

    def is_around(self, loop: LoopNode) -> bool:
        """Tell whether each iteration of a loop makes many steps in an expression: the rest of it is of no step."""
        return loop in self._around and loop not in self._beside

    def around(self, place: Place) -> Place | None:
        """Return the expression that repeats training steps and evaluates a place with each, None if there is none."""
        if not self._places:
            return None
        return next((self._places[one] for one in _repeated_in(place) if one in self._places), None)

    def step_around(self, place: Place) -> Step | None:
        """Return the step of a story for that expression."""
        around = self.around(place)
        return around.step("this trains") if around is not None else None

    def calls(self) -> Iterator[tuple[Place, Step]]:
        """Yield the calls that are made at every step; `map` represents those of its function."""
        for around in self._places.values():
            for call, statement in around.file.calls_within(around.statement):
                place = Place(around.file, call, statement)
                if (step := self.step_around(place)) is not None and self.around(place) is around:
                    yield place, step

    @property
    def files(self) -> frozenset[ParsedFile]:
        """Return the files that have such expressions."""
        return frozenset(around.file for around in self._places.values())

    def are_in(self, scope: Scope) -> bool:
        """Tell whether a function has such an expression."""
        return any(around.scope is scope for around in self._places.values())


def _repeating(chain: Sequence[Place]) -> ast.expr | None:
    """Return the expression that repeats the call that leads to a step, within its statement.

    `[one.step() for one in optimizers]` makes one step of all parts, and `[one.learn() for one in agents]` one of each.
    """
    call = chain[0]
    around = next(_repeated_in(call), None) if len(chain) > 1 else None
    generators = around.generators if isinstance(around, COMPREHENSIONS) else ()
    return None if any(asks_each(one, call.expression) for one in generators) else around


def _repeated_in(place: Place) -> Iterator[ast.expr]:
    """Yield the comprehensions and calls of `map` that evaluate a place in each iteration, innermost first."""
    parents = place.file.parents_in(place.statement)
    child: ast.AST = place.expression
    if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "map":
        yield child
    while (parent := parents.get(child)) is not None:
        # The iterable of the first `for` is evaluated once.
        if isinstance(parent, COMPREHENSIONS) and child is not parent.generators[0]:
            yield parent
        child = parent
