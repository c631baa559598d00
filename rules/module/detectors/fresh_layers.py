"""Layers that are built with every `forward`, and used there.

A layer has to exist when the optimizer gets the parameters, and when `eval()` visits the modules. One that `forward`
builds has new random weights each time; a dropout is in training mode each time. (torch 2.13; `torch.nn` documents each
layer: https://docs.pytorch.org/docs/stable/nn.html)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import Class, Instance, Possibility
from torchlint.pytorch.layers import DROPOUTS, NORMS, SCALING, SWITCHES, WEIGHTED
from torchlint.pytorch.symbols import NN

from .applying import builds, is_applied_here
from .from_forward import from_forward
from .modes import is_of_mode

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_NAMES = frozenset(f"{NN}{name}" for name in DROPOUTS | NORMS | SCALING | WEIGHTED)
# With these they have neither weights nor statistics, or drop nothing.
_SWITCHES = (
    (DROPOUTS, "p", 0, 0),
    (NORMS, "track_running_stats", 4, False),
    *((frozenset({name}), SWITCHES[name][0].name, SWITCHES[name][0].position, False) for name in sorted(SCALING)),
)
# These names show that other weights are wanted each time: random convolutions of images, samples, code for a test.
_WANTED = re.compile(r"MC|(^|_)mc_|(?i:rand|nois|augment|sampl|monte|bayes|stochastic|hyper|(^|\.)test)")


@dataclass(frozen=True, slots=True)
class FreshLayer:
    """A call that builds a layer with every `forward`."""

    place: Call
    name: str
    """The name of the layer: `Dropout`."""
    has_mode: bool
    """Whether it behaves differently in evaluation, and has no other state."""
    story: tuple[Step, ...]
    """The calls from `forward` to the function that builds it."""


def fresh_layers(ev: Evaluator, file: ParsedFile) -> Iterator[FreshLayer]:
    """Yield the calls of a file that build a layer with every `forward`, where that is called at once."""
    words = file.words_for(_NAMES)
    for call in _calls_at_run_time(file):
        name = _layer(call) if call.method in words else _own_layer(ev, call)
        if not name or not is_applied_here(call):
            continue
        has_mode = name in DROPOUTS | NORMS
        if has_mode and is_of_mode(call):
            continue
        if (story := from_forward(ev, call, _is_wanted)) is not None:
            yield FreshLayer(call, name, has_mode, story)


def _calls_at_run_time(file: ParsedFile) -> Iterator[Call]:
    for scope in file.index.scopes:
        if scope.kind == "function" and scope.name != "__init__":
            yield from (Call(file, call, statement) for call, statement in file.calls_in_scope(scope))


def _layer(call: Call) -> str:
    """Return which of PyTorch's layers a call builds, without those that only compute; else nothing."""
    name = next((one.rpartition(".")[2] for one in call.callee.names & _NAMES), "")
    return "" if any(_is_off(call, *switch) for switch in _SWITCHES if name in switch[0]) else name


def _is_off(call: Call, _: frozenset[str], word: str, position: int, off: object) -> bool:
    given = call.argument(word, position)
    return call.is_open or (given is not None and given.literals == (off,))


def _own_layer(ev: Evaluator, call: Call) -> str:
    """Return which module of the project a `forward` builds that consists of layers of its own; else nothing."""
    if call.scope.name != "forward" or not call.method[:1].isupper():
        return ""
    match plain(call.callee):
        case (Possibility(value=Class() as kind),) if is_module(ev, Instance(kind)):
            init = method_of(ev, kind, "__init__")
            return call.method if init is not None and builds(init.scope.node, WEIGHTED) else ""
        case _:
            return ""


def _is_wanted(place: Place) -> bool:
    return _WANTED.search(place.scope.qualified_name) is not None
