"""The files of a project: read, parsed and found when they are asked for."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from torchlint.finding import Span
from torchlint.model.checkpoint_loads import BareLoad, bare_loads
from torchlint.model.collectives import LonelyCollective, lonely_collectives
from torchlint.model.evaluator import Evaluator
from torchlint.model.forks import ForkedCuda, forked_cuda
from torchlint.model.library import Library
from torchlint.model.place import Place
from torchlint.model.rank_saves import RankSave, rank_saves
from torchlint.model.repeated_orders import RepeatedOrder, repeated_orders
from torchlint.model.replicas import replicated_classes
from torchlint.model.saves import WrappedSave, wrapped_saves
from torchlint.model.scope import Scope
from torchlint.model.sourcefile import SourceFile
from torchlint.model.steps import Training
from torchlint.model.unsharded import UnshardedLoader, unsharded_loaders
from torchlint.model.worlds import ANYWHERE, World
from torchlint.source import Source, UnreadableSourceError, read_source


class Project:
    """Everything below one root, of which some files are linted and the others only read.

    `linted` holds what the files that are linted are called in findings; they are of the project wherever they lie.
    `edited` holds what is to be taken for the bytes of some files: an editor has them so, and has not saved them yet.
    """

    def __init__(
        self,
        root: Path,
        target_torch: tuple[int, int] | None = None,
        linted: Mapping[Path, str] | None = None,
        edited: Mapping[Path, bytes] | None = None,
    ) -> None:
        self.root = root
        self.target_torch = target_torch
        self._linted = linted or {}
        self._edited = edited or {}
        self._files: dict[Path, SourceFile | None] = {}
        self._evaluators: dict[World, Evaluator] = {}
        self._own_evaluators: list[Evaluator] = []
        self._declaring: dict[str, list[Path]] = {}

    def open(self, path: Path, shown: str, data: bytes | None = None) -> SourceFile:
        """Read and parse a file; `shown` is its name in findings, `data` its bytes where they are at hand.

        Raises `OSError` where the file cannot be read and `UnreadableSourceError` where it cannot be parsed.
        """
        location = path.absolute()
        known = self._files.get(location)
        if known is not None and (data is None or data == known.source.data):
            return known
        data = self._edited.get(location) if data is None else data
        source = read_source(shown, path.read_bytes() if data is None else data)
        file = self._files[location] = SourceFile(self, location, source, _parse(source))
        return file

    def evaluator(self, world: World) -> Evaluator:
        """Return what answers questions about the project in a world."""
        if world not in self._evaluators:
            self._evaluators[world] = Evaluator(self, world)
        return self._evaluators[world]

    @cached_property
    def training(self) -> Training:
        """Return what trains in the project; asked with answers of its own, so that nobody's questions change it."""
        evaluator = self._own_evaluator()
        training = Training(evaluator)
        evaluator.forget_circles()
        return training

    @cached_property
    def wrapped_saves(self) -> dict[str, list[WrappedSave]]:
        """Return what the project saves through wrappers, by the path of the file that takes the state dict."""
        return wrapped_saves(self._own_evaluator())

    def _own_evaluator(self) -> Evaluator:
        self._own_evaluators.append(Evaluator(self, ANYWHERE))
        return self._own_evaluators[-1]

    @cached_property
    def lonely_collectives(self) -> dict[str, list[LonelyCollective]]:
        """Return the collectives that only some ranks come to, by the path of the file in which these turn off."""
        return lonely_collectives(Evaluator(self, ANYWHERE))

    @cached_property
    def rank_saves(self) -> dict[str, list[RankSave]]:
        """Return the saves that every rank makes to the same file, by the path of the file that saves."""
        return rank_saves(Evaluator(self, ANYWHERE))

    @cached_property
    def repeated_orders(self) -> dict[str, list[RepeatedOrder]]:
        """Return the epoch loops that repeat the order of their data, by the path of the file of the loop."""
        return repeated_orders(Evaluator(self, ANYWHERE))

    @cached_property
    def replicated_classes(self) -> dict[Scope, Place]:
        """Return the module classes that DataParallel makes replicas of, each with the call that wraps."""
        return replicated_classes(Evaluator(self, ANYWHERE))

    @cached_property
    def forked_cuda(self) -> dict[str, list[ForkedCuda]]:
        """Return where forked processes ask for CUDA, by the path of the file that asks."""
        return forked_cuda(Evaluator(self, ANYWHERE))

    @cached_property
    def unsharded_loaders(self) -> dict[str, list[UnshardedLoader]]:
        """Return the loaders that give every rank all of the data, by the path of the file that makes them."""
        return unsharded_loaders(Evaluator(self, ANYWHERE), self.training)

    @cached_property
    def bare_loads(self) -> dict[str, list[BareLoad]]:
        """Return where wrappers are given what was saved bare, by the path of the file that loads."""
        return bare_loads(Evaluator(self, ANYWHERE))

    def forget_circles(self) -> None:
        """Make the next file's answers independent of what was asked before."""
        for evaluator in (*self._evaluators.values(), *self._own_evaluators):
            evaluator.forget_circles()

    def parsed(self, location: Path) -> SourceFile | None:
        """Return a file that another one leads to, or None where it cannot be read: it is not the one to be linted."""
        if location not in self._files:
            try:
                self.open(location, self._shown(location))
            except (OSError, UnreadableSourceError):
                self._files[location] = None
        return self._files[location]

    def _shown(self, location: Path) -> str:
        if location in self._linted:
            return self._linted[location]
        here = Path.cwd()
        return location.relative_to(here).as_posix() if location.is_relative_to(here) else location.as_posix()

    def resolve(self, file: SourceFile, module: str, level: int) -> SourceFile | None:
        """Return the file of the project that an import in another one names, or None for what is outside."""
        location = self.library.find(file.location, module, level)
        return self.parsed(location) if location is not None else None

    @cached_property
    def library(self) -> Library:
        """Return where the project's files are and what words they hold."""
        return Library(self.root, self._linted, self._edited)

    def paths_declaring(self, option: str) -> list[Path]:
        """Return the files that may declare an option of the command line."""
        if option not in self._declaring:
            spellings = [self.library.holding(spelling) for spelling in (option, option.replace("_", "-"))]
            declaring = self.library.holding("add_argument")
            self._declaring[option] = [path for path in declaring if any(path in held for held in spellings)]
        return self._declaring[option]


def _parse(source: Source) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        end_line, end_column = error.end_lineno or line, error.end_offset or column + 1
        raise UnreadableSourceError(error.msg, Span(line, column, end_line, max(end_column, column + 1))) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableSourceError("too deeply nested for CPython to parse", Span(1, 1, 1, 2)) from error
