"""Training steps: the calls that make one, the loops around them, and the functions that run at every step.

A *training step* is a `backward()` or the `step()` of an optimizer or gradient scaler. A *step loop* is the innermost
loop around one, here or in a caller. What the body of a step loop calls *runs every step*, transitively, unless a
throttle makes the calls less frequent.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.properties import PropertyReads, getters_of
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.results.own_functions import run_back_from
from torchlint.model.training.batch_loops import is_tried_again, loop_over_batches
from torchlint.model.training.call_paths import Story, Way, Ways, entering_step
from torchlint.model.training.comprehended import Comprehended
from torchlint.model.training.contracts import called_by_frameworks
from torchlint.model.training.lone_steps import lone_steps
from torchlint.model.training.made_calls import called_besides, calls_in, calls_of_given, own_calls
from torchlint.model.training.outer_calls import Chain, further_out
from torchlint.model.training.repeating import loops_repeating
from torchlint.model.training.single_iterations import is_of_single_iteration
from torchlint.model.training.stepping import backwards, may_update, stepping_files, updates
from torchlint.model.training.throttles import is_thinned
from torchlint.model.training.trials import builds_what_it_trains
from torchlint.model.values.value_sets import Function
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame

_Run: TypeAlias = "tuple[Function, Story, Place | None]"


class StepLoops:
    """What trains in a project: its step loops, and the functions that run at every step."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev
        self.loops: dict[LoopNode, ParsedFile] = {}
        self._within = Comprehended()
        self.updating: set[LoopNode] = set()
        """Those that an optimizer or scaler makes steps in; the iterations of any other only compute gradients."""
        self.functions: dict[Scope, Story] = {}
        """The functions that run at every step, each with the path from the loop to its call."""
        self._reached_functions: list[Function] = []
        self._property_reads = PropertyReads(ev)
        self._ways = Ways(ev, self._step_around)
        self._leading: dict[ast.expr, dict[Function, None]] = {}
        """Functions that are known to be called on the path from a loop to a step, possibly of an unknown object."""
        self._making: set[ast.expr] = set()
        """The steps themselves, and the calls on the paths to them."""
        self._stepping: set[Scope] = set()
        """The functions that make a training step, outside any loop of their own."""
        self._repeated: list[tuple[Chain, tuple[LoopNode, ...]]] = []
        self._unrepeated: list[Chain] = []
        """The call paths to updates: from the loops that repeat them, and those that no loop repeats."""
        self._find_loops()
        self._follow_calls()

    @cached_property
    def files(self) -> frozenset[ParsedFile]:
        """Return the files in which anything runs at every step."""
        reached = (function.file for function in self._reached_functions)
        return frozenset((*self.loops.values(), *reached, *self._within.files))

    def every_step(self, place: Place) -> Story | None:
        """Return why a place runs at every training step, or None if it does not."""
        if place.file not in self.files:
            return None
        if (step := self._within.step_around(place)) is not None:
            return None if is_thinned(self._ev, place, _innermost(place)) else (step,)
        if (loop := self._loop_around(place)) is not None:
            return None if is_thinned(self._ev, place, loop) else (self._step_of(loop),)
        if place.scope not in self.functions or is_thinned(self._ev, place):
            return None
        return self._ways.story_of(place)

    def _loop_around(self, place: Place) -> LoopNode | None:
        return next(self._loops_around(place), None)

    def _loops_around(self, place: Place) -> Iterator[LoopNode]:
        loops = loops_of(place.file.index, place.statement)
        return (loop for loop in loops if loop in self.loops and not self._within.is_around(loop))

    def loop_of_update(self, place: Place) -> LoopNode | None:
        """Return the loop around a place whose iterations make a whole step, possibly with accumulated gradients.

        If no update is known, it is the one that computes gradients.
        """
        around = list(self._loops_around(place))
        return next((loop for loop in around if loop in self.updating), around[0] if around else None)

    def _step_around(self, place: Place) -> Step | None:
        if (step := self._within.step_around(place)) is not None:
            return step
        loop = self._loop_around(place)
        return self._step_of(loop) if loop is not None else None

    def frames_at(self, place: Place) -> Iterator[Frame]:
        """Yield the frames of calls of objects in which steps reach a place: `forward` has no callers by name."""
        return self._ways.frames_at(place)

    def ways_to(self, place: Place) -> Iterator[Way]:
        """Yield the call paths on which steps reach a place, each with the frame of its last call."""
        return self._ways.ways_to(place)

    def _step_of(self, loop: LoopNode) -> Step:
        does = "trains" if loop in self.updating else "computes gradients"
        return header(self.loops[loop], loop).step(f"this loop {does}")

    def _find_loops(self) -> None:
        """Search from each training step outwards, through callers, for the loop that repeats it.

        Updates come first: code that only computes gradients, as for a saliency map, trains nothing, and if it is
        beside a loop that updates it is no step of the loop around.
        """
        files = list(stepping_files(self._ev))
        self._find_loops_around([step for file in files for step in updates(self._ev, file)], is_update=True)
        self._find_loops_over_batches()
        self._find_loops_around([step for file in files for step in backwards(self._ev, file)], is_update=False)

    def _find_loops_around(self, steps: list[Place], *, is_update: bool) -> None:
        pending: deque[Chain] = deque((step,) for step in steps)
        while pending:
            chain = pending.popleft()
            place = chain[0]
            loops, is_outermost = loops_repeating(chain)
            if is_update or may_update(chain):
                self._within.note(self._ev, chain, loops)
            for loop in loops:
                self._note_loop(chain, loop, is_update=is_update)
            if is_update and not loops:
                self._unrepeated.append(chain)
            elif is_update and is_outermost:
                self._repeated.append((chain, loops))
            if is_outermost or (not is_update and self._trains_itself(place.scope)):
                continue
            pending.extend(further_out(self._ev, chain, self._stepping))

    def _find_loops_over_batches(self) -> None:
        """Go on from the loops that repeat a step with the same batch to those that iterate over the batches."""
        pending, seen = deque(self._repeated), set[Scope]()
        while pending:
            chain, inside = pending.popleft()
            if (loop := loop_over_batches(self._ev, chain[0], inside)) is not None:
                self._note_loop(chain, loop, is_update=True)
            elif is_tried_again(chain[0], inside):
                pending.extend((longer, ()) for longer in further_out(self._ev, chain, seen))

    def _note_loop(self, chain: Chain, loop: LoopNode, *, is_update: bool) -> None:
        if is_of_single_iteration(chain[0], loop):
            return
        is_new = loop not in self.loops and (is_update or may_update(chain))
        if is_new and not is_update and any(map(self._trains_itself, called_besides(self._ev, chain, loop))):
            return
        self._note_way(chain)
        if is_new and not builds_what_it_trains(self._ev, loop, chain):
            self.loops[loop] = chain[0].file
            self.updating.update((loop,) if is_update else ())

    def _note_way(self, chain: Chain) -> None:
        self._making.update(place.expression for place in chain)
        for call, inside in pairwise(chain):
            self._leading.setdefault(call.expression, {})[Function(inside.file, inside.scope)] = None

    def _follow_calls(self) -> None:
        """Go from the bodies of step loops inwards, through callees, nearest first."""
        pending: deque[_Run] = deque()
        for place, step in self._within.calls():
            pending.extend(self._reached_in([place], (step,), _innermost(place)))
        single = (loop for loop in self.loops if not self._within.is_around(loop))
        for loop in sorted(single, key=lambda loop: (self.loops[loop].path, loop.lineno)):
            file = self.loops[loop]
            calls = (*calls_in(file, loop), *self._property_reads.in_loop(file, loop))
            pending.extend(self._reached_in(calls, (self._step_of(loop),), loop))
        assumed = lone_steps(self._ev, self._unrepeated)
        for function, step in (*called_by_frameworks(self._ev, self._stepping), *assumed):
            self._ways.note_contract(function, step)
            pending.append((function, (step,), None))
        handed: set[tuple[Scope, ast.expr]] = set()
        while pending:
            function, story, call = pending.popleft()
            if len(story) > FAR:
                continue
            if call is not None and (function.scope, call.expression) not in handed:
                handed.add((function.scope, call.expression))
                pending.extend(self._reached_in(calls_of_given(self._ev, function, call), story))
            if function.scope not in self.functions:
                self.functions[function.scope] = story
                self._reached_functions.append(function)
                reads = self._property_reads.in_scope(function.file, function.scope)
                pending.extend(self._reached_in((*own_calls(function, is_open=call is None), *reads), story))

    def _reached_in(self, calls: Iterable[Place], story: Story, loop: LoopNode | None = None) -> Iterator[_Run]:
        thinned: list[Place] = []
        makes_step = False
        for place in calls:
            if is_thinned(self._ev, place, loop):
                thinned.append(place)
            else:
                makes_step |= place.expression in self._making
                yield from self._reached(place, story)
        # `if i % 4 == 0: agent.learn()`: if no other iteration makes a step, it is made with each of these.
        for place in thinned if not makes_step else ():
            if place.expression in self._making:
                yield from self._reached(place, story)

    def _reached(self, place: Place, story: Story) -> Iterator[_Run]:
        of = getters_of if isinstance(place.expression, ast.Attribute) else callees_of
        leading = self._leading.get(place.expression, ())
        called = (one for one in (*of(self._ev, place), *leading) if self._is_of_something_made(one))
        for function in dict.fromkeys(called):
            # Of several possible callees, one makes a step, and another has a loop of its own for that.
            if leading and function not in leading and self._trains_itself(function.scope):
                continue
            self._ways.note_call(function, place)
            yield function, (*story, entering_step(function, place)), place
            if (back := run_back_from(self._ev, function, place)) is not None:
                self._ways.note_call(back, place)
                yield back, (*story, entering_step(back, place)), None

    def _is_of_something_made(self, function: Function) -> bool:
        """Tell whether the object of a method is ever made: `self.net = SSIM()` may be in an unreachable arm."""
        origin = function.receiver.origin if function.receiver is not None else None
        return origin is None or is_reachable(self._ev, origin)

    def _trains_itself(self, scope: Scope) -> bool:
        """Tell whether a function has a step loop: one around its calls is an epoch loop."""
        loops = (loop for loop, file in self.loops.items() if file.index.home[loop][0].scope is scope)
        return scope.kind == "function" and (self._within.are_in(scope) or any(loops))


def _innermost(place: Place) -> LoopNode | None:
    return next(loops_of(place.file.index, place.statement), None)
