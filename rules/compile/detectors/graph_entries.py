"""Where a program has code traced into graphs: `torch.compile` and `torch.export`, and the functions they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import run_by
from torchlint.model.calls import Call, call_at, calls_anywhere
from torchlint.model.containers.items import item
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Display, Function, Literal
from torchlint.pytorch.graph_breaks import CALLING_MODULES
from torchlint.pytorch.symbols import COMPILED, EXPORTED
from torchlint.pytorch.untraced import Tracing
from torchlint.syntax.last_names import without_call

from .compiled import compiled_in_place, compiling_decorator
from .frameworks import compiled_by_frameworks, steps_of_lightning

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class GraphEntry:
    """A function that is traced, where the program asks for that, and how; None if its graph may break."""

    function: Function
    place: Place
    tracing: Tracing | None


def graph_entries(ev: Evaluator) -> Iterator[GraphEntry]:
    """Yield the functions of a project that are traced."""
    for call in calls_anywhere(ev.project, COMPILED.rpartition(".")[2]):
        yield from _compiled(ev, call)
    for call in calls_anywhere(ev.project, EXPORTED.rpartition(".")[2]):
        if EXPORTED in call.callee.names and call.arguments:
            tracing = Tracing.STRICT if _is_true(ev, call, "strict") else Tracing.EXPORTED
            yield from _run_by(ev, call.arguments[0], call, tracing)
    for model, by in compiled_by_frameworks(ev):
        yield from _run_by(ev, model, by, None)
    yield from _decorated(ev)


def _compiled(ev: Evaluator, call: Call) -> Iterator[GraphEntry]:
    if call.argument("disable") is not None:
        return
    if COMPILED not in call.callee.names:
        if call.owner is not None and compiled_in_place(ev, call):
            yield from _run_by(ev, call.owner, call, _tracing(ev, call))
    elif (model := call.argument("model", 0)) is not None:
        yield from _run_by(ev, model, call, _tracing(ev, call))
        for one in ev.evaluate(model):
            yield from (GraphEntry(step, call, _tracing(ev, call)) for step in steps_of_lightning(ev, one))


def _run_by(ev: Evaluator, traced: Place, by: Place, tracing: Tracing | None) -> Iterator[GraphEntry]:
    for one in ev.evaluate(traced):
        yield from (GraphEntry(function, by, tracing) for function in run_by(ev, one))
        if isinstance(one.value, Built) and one.value.name in CALLING_MODULES and one.origin is not None:
            made = call_at(one.origin)
            given = ev.evaluate(made.arguments[0]) if made is not None and made.arguments else ()
            yield from (GraphEntry(function, by, tracing) for inner in given for function in run_by(ev, inner))


def _decorated(ev: Evaluator) -> Iterator[GraphEntry]:
    for path in ev.project.library.using(COMPILED.rpartition(".")[2]):
        file = ev.project.parsed(path)
        for statement in file.index.statements(ast.FunctionDef) if file is not None else ():
            assert file is not None
            function = Function(file, file.index.scope_of(statement))
            if statement.decorator_list and (decorator := compiling_decorator(function)) is not None:
                call = call_at(decorator)
                if call is None or call.argument("disable") is None:
                    yield GraphEntry(function, decorator, _tracing(ev, call) if call is not None else None)


def _tracing(ev: Evaluator, call: Call) -> Tracing | None:
    return Tracing.WHOLE if _is_true(ev, call, "fullgraph") else None


def _is_true(ev: Evaluator, call: Call, option: str) -> bool:
    given = call.argument(option)
    if given is not None:
        return given.literals == (True,)
    assert isinstance(call.expression, ast.Call)
    unpacked = [call.at(one.value) for one in call.expression.keywords if one.arg is None]
    dicts = [one for mapping in unpacked for one in ev.evaluate(mapping)]
    held = [one.value for display in dicts if isinstance(display.value, Display) for one in item(ev, display, option)]
    return bool(held) and len(dicts) == len(unpacked) and all(one == Literal(True) for one in held)


def is_decorated_by(function: Function, names: frozenset[str]) -> bool:
    """Tell whether a decorator of a function is one of these, called or not."""
    node = function.scope.node
    decorators = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else ()
    places = (Place(function.file, without_call(one), node) for one in decorators if isinstance(node, ast.stmt))
    return any(place.names & names for place in places)
