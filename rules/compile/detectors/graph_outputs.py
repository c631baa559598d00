"""What is in the memory of a CUDA graph: what compiled code returns, and views of that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function
from torchlint.pytorch.graph_modes import GRAPH_MODES, GRAPH_OPTION, SCRIPTING
from torchlint.pytorch.symbols import COMPILED
from torchlint.pytorch.views import SAME_MEMORY
from torchlint.syntax.arguments import is_flag
from torchlint.syntax.last_names import without_call
from torchlint.syntax.reaching_definitions import reaching

from .compiled import compiling_decorator

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, Project


_NO_GRAPH: Place | None = None
_COMPILE = COMPILED.rpartition(".")[2]
_OPTIONS = ("mode", "options")


def uses_graphs(ev: Evaluator) -> bool:
    """Tell whether any code of a project is compiled for CUDA graphs; docstrings and messages name their modes, too."""
    return any(_runs_graphs(call) for call in _calls_with_options(ev.project))


def _calls_with_options(project: Project) -> Iterator[Place]:
    """Yield the calls with a mode or options, by any name, in files that may compile or that name a mode of graphs."""
    paths = chain(project.library.using(_COMPILE), *map(project.library.holding, (*sorted(GRAPH_MODES), GRAPH_OPTION)))
    for path in dict.fromkeys(paths):
        file = project.parsed(path)
        for call, statement in file.index.expressions(ast.Call) if file is not None else ():
            if file is not None and any(word.arg in _OPTIONS for word in call.keywords):
                yield Place(file, call, statement)


def graph_of(ev: Evaluator, place: Place) -> Place | None:
    """Return where the code is compiled whose CUDA graph an expression is an output of, or a view of one; else None."""
    match place.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SAME_MEMORY:
            return graph_of(ev, place.at(owner))
        case ast.Call() as call:
            return _graph_run(ev, Call(place.file, call, place.statement))
        case ast.Attribute(value=owner, attr=name) if name in SAME_MEMORY:
            return graph_of(ev, place.at(owner))
        case ast.Subscript(value=owner, slice=index) if _selects(index):
            return graph_of(ev, place.at(owner))
        case ast.Name(id=name) if name in place.scope.bindings:
            return _named(ev, place)
        case _:
            return None


@tabled(_NO_GRAPH)
def _named(ev: Evaluator, place: Place) -> Place | None:
    """Return the graph of what a name is bound to, None where that may be anything else."""
    bindings = place.scope.bindings[place.code]
    found = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    values = [one.value if one.kind == "assign" else None for one in found]
    if None in values:
        return None
    assigned = (Place(place.file, value, one.statement) for value, one in zip(values, found, strict=True) if value)
    graphs = [graph_of(ev, one) for one in assigned]
    return graphs[0] if graphs and None not in graphs else None


def _selects(index: ast.expr) -> bool:
    """Tell whether an index gives a view, as numbers and slices do, or an item of a tuple."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(one, (ast.Constant, ast.Slice, ast.UnaryOp)) for one in parts)


def _graph_run(ev: Evaluator, call: Call) -> Place | None:
    """Return where what a call runs is compiled, be it by a function of the project that returns what that returns."""
    if _is_scripted(call):
        return None
    for one in ev.evaluate(call.callee):
        if one.value == Built(COMPILED) and one.origin is not None and _runs_graphs(one.origin):
            return one.origin
    for function in call.callees:
        decorator = compiling_decorator(function)
        if decorator is not None:
            return decorator if _runs_graphs(decorator) else None
        if (graph := _returned(ev, function)) is not None:
            return graph
    return None


def _is_scripted(call: Call) -> bool:
    """Tell whether TorchScript compiles the function around a call."""
    node = call.scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return any(SCRIPTING & Place(call.file, without_call(one), node).names for one in node.decorator_list)


@tabled(_NO_GRAPH)
def _returned(ev: Evaluator, function: Function) -> Place | None:
    """Return the graph of what a function returns, None where it may return anything else."""
    values = [one.value for one in function.scope.returns]
    graphs = [
        graph_of(ev, Place(function.file, value, statement)) if value is not None else None
        for value, statement in zip(values, function.scope.returns, strict=True)
    ]
    return graphs[0] if graphs and None not in graphs and not function.scope.yields else None


def _runs_graphs(compiled: Place) -> bool:
    """Tell whether a call of `torch.compile` asks for CUDA graphs."""
    if not isinstance(compiled.expression, ast.Call):
        return False
    call = Call(compiled.file, compiled.expression, compiled.statement)
    backend, mode, options = (call.argument(name) for name in ("backend", "mode", "options"))
    if backend is not None and backend.literals != ("inductor",):
        return False
    if mode is not None and GRAPH_MODES.intersection(mode.literals or ()):
        return True
    match options.expression if options is not None else None:
        case ast.Dict(keys=keys, values=values):
            told = dict(zip((getattr(key, "value", None) for key in keys), values, strict=True)).get(GRAPH_OPTION)
            return is_flag(told, True)
        case _:
            return False
