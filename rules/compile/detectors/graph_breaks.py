"""Where the graphs of compiled and exported code break."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.reachability import is_reachable
from torchlint.model.training.evaluation import every_evaluated_batch
from torchlint.model.training.forwards import with_every_forward
from torchlint.model.training.throttles import is_thinned
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.graph_breaks import ACCEPTED, TRACED_OTHERWISE
from torchlint.pytorch.untraced import IN_ONE_GRAPH, OPTIONS, RAISES, Untraced
from torchlint.syntax.walk import walk

from .suspects import Suspect, suspects
from .traced import Traced, traced_functions

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class BrokenGraph:
    """An expression that breaks a graph, why, and the way from where that is compiled."""

    place: Place
    untraced: Untraced
    way: Traced
    raises: bool
    loop: Story | None
    """Why it runs again and again; None where that is not known."""

    @property
    def is_accepted(self) -> bool:
        """Tell whether programs compile such code in spite of the break."""
        return self.untraced in ACCEPTED


def graph_breaks(ev: Evaluator, file: ParsedFile) -> Iterator[BrokenGraph]:
    """Yield what breaks the graphs of the functions of a file."""
    traced = ev.project.once(traced_functions)
    found: set[tuple[str, int, int, int, int]] = set()
    layers: set[tuple[Scope, str]] = set()
    # Few files have code that is traced, and what may break a graph is written in every line of the others.
    for suspect in suspects(file) if not traced.keys().isdisjoint(file.index.scopes) else ():
        ways = traced.get(suspect.place.scope, ())
        if ways and suspect.place.key not in found and (broken := _broken(ev, suspect, ways)) is not None:
            found.add(suspect.place.key)
            if broken.untraced is not Untraced.RECURRENT or _is_first(layers, broken.place):
                yield broken


def _is_first(layers: set[tuple[Scope, str]], place: Place) -> bool:
    """Tell whether a function uses a recurrent layer here for the first time: it is not traced from there on."""
    layer = (place.scope, place.code.partition("(")[0].removesuffix(".flatten_parameters"))
    is_new = layer not in layers
    layers.add(layer)
    return is_new


def _broken(ev: Evaluator, suspect: Suspect, ways: list[Traced]) -> BrokenGraph | None:
    for way in ways:
        place = suspect.place.within(way.frame)
        why = suspect.untraced(ev, way.frame) or suspect.untraced(ev, None)
        if why is None or _is_traced_by_option(ev, why) or not _is_run(ev, place):
            continue
        raises = way.entry.tracing in RAISES[why]
        # What is kept out on purpose is no mistake, unless there is to be one graph.
        if raises or (way.entry.tracing is None and why not in IN_ONE_GRAPH):
            return BrokenGraph(suspect.place, why, way, raises, _repeated(ev, suspect.place))
    return None


def _is_traced_by_option(ev: Evaluator, why: Untraced) -> bool:
    """Tell whether the project names an option with which Dynamo traces it."""
    return any(ev.project.library.holding(option) for option in OPTIONS.get(why, ()))


def _is_run(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place runs whenever its function does, and is not kept from the tracer."""
    return not is_thinned(ev, place) and is_reachable(ev, place) and not _is_kept_from_tracer(place)


def _is_kept_from_tracer(place: Place) -> bool:
    for test, _ in place.tests:
        for node in walk(test.expression):
            if isinstance(node, ast.Call) and test.at(node.func).names & TRACED_OTHERWISE:
                return True
    return False


def _repeated(ev: Evaluator, place: Place) -> Story | None:
    training = step_loops_of(ev.project)
    for story in (training.every_step(place), every_evaluated_batch(ev, training, place)):
        if story is not None:
            return story
    return with_every_forward(ev, training, place)
