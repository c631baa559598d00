"""Arguments of a `DataLoader` that contradict each other: it raises when it is made, or when the first batch is read.

A sampler determines the order, a batch sampler the batches, too; and arguments for workers need some. What torch 2.13
raises for is in torch/utils/data/dataloader.py; `prefetch_factor=2` without workers since 2.0.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Argument, Call, call_at, calls_of
from torchlint.model.guards.catching import is_suppressed
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.model.values.value_sets import Class, Instance, Literal as Constant, Possibility, Unknown
from torchlint.pytorch.loaders import LOADER_AT
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import ITERABLE_DATASETS, LOADER
from torchlint.syntax.iterated import sources_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

Reason: TypeAlias = Literal["sampler", "batch_sampler", "batch_size", "num_workers", "dataset"]
_Asked: TypeAlias = "Callable[[object], bool]"

_DEFAULTS: dict[str, int | bool | None] = {"batch_size": 1, "shuffle": False, "num_workers": 0, "drop_last": False}
_PIPES = "IterDataPipe"


@dataclass(frozen=True, slots=True)
class Contradiction(Argument):
    """An argument of a loader and what it contradicts: another one, passed or left to its default, or the dataset."""

    name: str
    reason: Reason
    other: Place | None
    is_always: bool
    """Whether they contradict each other on every path to the call."""


def contradictory_loaders(ev: Evaluator, file: ParsedFile) -> Iterator[Contradiction]:
    """Yield the contradictions among the arguments of the loaders of a file, the first of each loader."""
    for call in calls_of(file, frozenset({LOADER})):
        found = next(_Arguments(ev, call).contradictions(), None)
        if found is not None and not _is_prepared(call):
            yield found


def loader_argument(call: Call, name: str) -> Place | None:
    """Return an argument of a loader, by keyword or by its position; None if it is not passed."""
    return call.argument(name, LOADER_AT.get(name))


def loaders_of(ev: Evaluator, file: ParsedFile, loop: ast.For | ast.AsyncFor) -> list[Call | None]:
    """Return the calls that make the loaders of a loop, None for one out of view; none if it may be over anything else.

    `for i, batch in enumerate(tqdm(loader))` is over a loader, and `for a, b in zip(one, other)` over two.
    """
    sources = list(sources_of(loop.iter))
    possible = ev.evaluate(Place(file, sources[0], loop)) if len(sources) == 1 else ()
    if not all(is_made_as(ev, one.value, Role.LOADER) for one in possible):
        return []
    return [call_at(one.origin) if one.origin is not None else None for one in possible]


def may_start_workers(ev: Evaluator, count: Place) -> bool:
    """Tell whether the argument for `num_workers` may be positive."""
    values = (one.value for one in ev.evaluate(count))
    return any(isinstance(one, Constant) and isinstance(one.value, int) and one.value > 0 for one in values)


def _is_prepared(call: Call) -> bool:
    """Tell whether the program handles the failure of the loader: it may catch what that raises, or expects it."""
    blocks = call.file.index.blocks_around(call.statement)
    tries = (block.owner for block, _ in blocks if isinstance(block.owner, ast.Try) and block.arm == "body")
    is_caught = any(one.handlers for one in tries)
    return is_caught or is_suppressed(call)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The arguments of a loader, and what they may be."""

    ev: Evaluator
    call: Call

    def contradictions(self) -> Iterator[Contradiction]:
        """Yield what the loader refuses, in the order in which it does."""
        for name in ("prefetch_factor", "multiprocessing_context"):
            yield from self._both(name, _is_set, "num_workers", _is_zero)
        for name in ("persistent_workers", "timeout"):
            yield from self._both(name, _is_true, "num_workers", _is_zero)
        if self._is_iterable():
            yield from self._both("shuffle", _is_true, "dataset", _is_set)
            yield from self._both("sampler", _is_set, "dataset", _is_set)
            yield from self._both("batch_sampler", _is_set, "dataset", _is_set)
        yield from self._both("shuffle", _is_true, "sampler", _is_set)
        yield from self._both("batch_size", _is_chosen, "batch_sampler", _is_set)
        for name in ("shuffle", "drop_last"):
            yield from self._both(name, _is_true, "batch_sampler", _is_set)
        yield from self._both("sampler", _is_set, "batch_sampler", _is_set)
        if not self.call.is_open and self._passed("batch_sampler") is None:
            yield from self._both("drop_last", _is_true, "batch_size", _is_none)

    def _both(self, name: str, holds: _Asked, reason: Reason, too: _Asked) -> Iterator[Contradiction]:
        """Yield the contradiction of two arguments, if one surely contradicts and the other may."""
        value = self._passed(name)
        if value is None:
            return
        (is_always, is_ever), (is_always_too, is_ever_too) = self._may_be(name, holds), self._may_be(reason, too)
        if is_ever and is_ever_too and (is_always or is_always_too):
            other = self._passed(reason)
            yield Contradiction(self.call, value, name, reason, other, is_always and is_always_too)

    def _passed(self, name: str) -> Place | None:
        return loader_argument(self.call, name)

    def _may_be(self, name: str, holds: _Asked) -> tuple[bool, bool]:
        """Tell whether an argument always satisfies a predicate, and whether it ever does; neither if it is unknown."""
        if (value := self._passed(name)) is None:
            is_left = not self.call.is_open and holds(_DEFAULTS.get(name))
            return is_left, is_left
        answers = [_answered(one, holds) for one in self.ev.evaluate(value)]
        if not answers or None in answers:
            return False, False
        return all(answers), any(answers)

    def _is_iterable(self) -> bool:
        dataset = self._passed("dataset")
        possible = self.ev.evaluate(dataset) if dataset is not None else ()
        return bool(possible) and all(self._iterates(one) for one in possible)

    def _iterates(self, one: Possibility) -> bool:
        """Tell whether something is an iterable dataset, which has no index."""
        return isinstance(one.value, Instance) and is_iterable_dataset(self.ev, one.value.kind)


def is_iterable_dataset(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class of the project is an iterable dataset, and no pipe."""
    bases = [base for base in family(ev, kind) if isinstance(base, str)]
    return any(base in ITERABLE_DATASETS for base in bases) and not any(base.endswith(_PIPES) for base in bases)


def _answered(one: Possibility, asked: _Asked) -> bool | None:
    match one.value:
        case Unknown():
            return None
        case Constant(value=value):
            return asked(value)
        case _:
            return True if asked is _is_set else None


def _is_set(value: object) -> bool:
    return value is not None


def _is_true(value: object) -> bool:
    return bool(value)


def _is_zero(value: object) -> bool:
    return value == 0


def _is_none(value: object) -> bool:
    return value is None


def _is_chosen(value: object) -> bool:
    return value != 1
