"""What the parts of the model may ask of one another: a file, its project, and the evaluator of both.

The implementations (`sourcefile`, `project`, `values.evaluator`) are bound at the top: nothing below imports them.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from torchlint.model.options.option_calls import DECLARING, destination
from torchlint.project.dependencies import Table
from torchlint.pytorch.requirements import Requirements, nearest_torch
from torchlint.source import Source
from torchlint.syntax.exits import first_leaving
from torchlint.syntax.guardedfile import GuardedFile
from torchlint.syntax.last_names import IN_TABLE
from torchlint.syntax.other_names import other_names
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.inference.engine.query import InOrder, Query
    from torchlint.model.place import Caller, Place, Residence
    from torchlint.model.values.value_sets import Class, Device, Frame, Function, Possibility, ValueSet
    from torchlint.model.worlds import World
    from torchlint.project.facts import FactKey
    from torchlint.project.library import Library
    from torchlint.syntax.flow_walk import Decide

_Found = TypeVar("_Found")
Argument: TypeAlias = "tuple[Place, ast.expr]"


class ParsedFile(GuardedFile):
    """A file that knows its project."""

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.index.steps = project.library.steps
        self.project = project
        self.location = location
        self.oldest_torch = nearest_torch(project.requirements, str(location))
        """The oldest torch that the file is written for, by the innermost folder that says so."""
        table = project.library.dependencies.table
        self.plain: Table[str, ValueSet | None] = table()
        """The values of the file's names that are plain, None for those that take a query."""
        self.families: Table[Scope, tuple[Class | str, ...] | None] = table()
        """The families of the classes of the file, None for those that take a query."""
        self.unmoving: Table[Scope, bool] = table()
        """Whether the modules of classes of the file move none of their inputs."""
        self.of_options: Table[tuple[ast.stmt, ast.expr], tuple[tuple[str, bool], ...]] = table()
        """By place: the conditions that hold there about options that another test may read, here or in other files."""
        self.past: Table[tuple[object, object], Any] = table()
        """What `passed_over` and `surviving` find at places, whatever the call context."""

    @property
    def is_package(self) -> bool:
        """Tell whether the file is the `__init__.py` of a package."""
        return self.location.name == "__init__.py"

    @property
    def words(self) -> frozenset[str]:
        """Return the names by which another file can import this one: its own and those of its packages."""
        names = set() if self.is_package else {self.location.stem}
        folder = self.location.parent
        while self.project.library.is_package(folder):
            names.add(folder.name)
            folder = folder.parent
        return frozenset(names)

    def binds_plainly(self, statement: ast.stmt) -> bool:
        """Tell whether a statement of the file itself runs whenever the file is loaded."""
        return self.index.home[statement][0].owner is None and first_leaving(self.tree.body, self.index) is None

    @cached_property
    def options(self) -> dict[str, list[tuple[ast.Call, ast.stmt]]]:
        """Return the calls that declare options of the command line, by the attribute that each ends up in."""
        found = defaultdict(list)
        for name in DECLARING:
            for call, statement in self.index.calls(name):
                found[destination(call)].append((call, statement))
        return found

    def words_for(self, names: Iterable[str]) -> frozenset[str]:
        """Return the last names, aliases included, by which the file calls things with these full names."""
        words = {name.rpartition(".")[2] for name in names}
        return frozenset(words.union(*(self._other_names.get(word, ()) for word in words)))

    def words_of(self, name: str) -> tuple[str, ...]:
        """Return the last names by which the file calls a thing, read from a table or not, in order."""
        if name not in self._other_names:
            return (name,)
        names = self._other_names[name]
        taken = (one for table in names if table.endswith(IN_TABLE) for one in self._other_names.get(table, ()))
        return tuple(sorted({name, *names, *taken}))

    @cached_property
    def _other_names(self) -> Mapping[str, set[str]]:
        return other_names(self.index)


class Project(Protocol):
    """The files of one import root, and what answers questions about them."""

    requirements: tuple[Requirements, ...]
    """What is required for the files in folders, the innermost first; last what the project itself requires."""
    library: Library
    """Where the project's files are, and what words they hold."""

    def parsed(self, location: Path) -> ParsedFile | None:
        """Return a file that another one leads to, or None where it cannot be read."""

    def resolve(self, file: ParsedFile, module: str, level: int) -> ParsedFile | None:
        """Return the file of the project that an import in another one names, or None for what is outside."""

    def locate(self, importer: Path, module: str, level: int) -> Path | None:
        """Return where the file is that an import in another one names, or None for what is outside."""

    def paths_declaring(self, option: str) -> list[Path]:
        """Return the files that may declare an option of the command line."""

    def evaluator(self, world: World) -> Evaluator:
        """Return what answers questions about the project in a world."""

    def once(self, question: Callable[[Evaluator], _Found]) -> _Found:
        """Return the answer to a question about the whole project; it is computed once, for any machine."""

    def told(self, key: FactKey, ask: Callable[[], bool]) -> bool:
        """Return the answer to a yes-or-no question; what asks it depends on the answer alone."""

    def lasting(self, made: Callable[[Evaluator], _Found]) -> _Found:
        """Return what is made once, with a memo of its own, so that no other query changes it."""


@dataclass(slots=True)
class Targets:
    """The calls written with one name, and those that pass something of that name."""

    calls: dict[Scope, list[tuple[Place, Function | Class]]] = field(default_factory=lambda: defaultdict(list))
    """By the function or class that a call may run."""
    unknown: list[Place] = field(default_factory=list)
    """The calls of methods of unknown classes."""
    passed: dict[Scope, list[Argument]] = field(default_factory=lambda: defaultdict(list))
    """By the function that may be passed: the call, and the argument."""


class CallTargets(Protocol):
    """Knows what the calls of each file may run, by the name they are written with."""

    def of(self, file: ParsedFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""


class Evaluator(Protocol):
    """Query what expressions may be, in one world."""

    @property
    def evaluate(self) -> Query[Place, ValueSet]:
        """Return what an expression may be; bottom if its definitions are a mere cycle."""

    @property
    def truth(self) -> Query[Place, bool | None]:
        """Tell the outcome of a test, or None if it is undecided."""

    @property
    def callers(self) -> Query[Function, tuple[Caller, ...]]:
        """Return every known caller of a function."""

    @property
    def elements(self) -> Query[Possibility, ValueSet]:
        """Return what iterating over one thing yields."""

    @property
    def item(self) -> Query[tuple[Possibility, object], ValueSet]:
        """Return what one container holds under a key; a dict may be unpacked into itself."""

    @property
    def resides(self) -> Query[Place, Residence | None]:
        """Return where a module's parameters are and what moved them, or None if unknown or it was never moved."""

    def residence(self, module: Place) -> Device | None:
        """Return the device of a module's parameters, or None if that is unknown or it was never moved."""

    @property
    def subclasses(self) -> Query[Class, tuple[Class, ...]]:
        """Return the classes of the project below one."""

    @property
    def project(self) -> Project:
        """Return the project that is asked about."""

    @property
    def world(self) -> World:
        """Return the world that is asked about; an answer that reads it is kept for this world alone."""

    @property
    def has_cuda(self) -> bool | None:
        """Tell whether the machine of this world has CUDA; None if it is unknown."""

    @property
    def gpus(self) -> int | None:
        """Return how many GPUs the machine of this world has; None if it does not matter which one something is on."""

    @property
    def has_defaults(self) -> bool:
        """Tell whether the options about devices and processes have their defaults in this world."""

    @property
    def targets(self) -> CallTargets:
        """Return the call targets of each file."""

    def returned(self, function: Function, frame: Frame | None) -> ValueSet:
        """Return what a call to a function returns."""

    def global_of(self, file: ParsedFile, name: str) -> ValueSet:
        """Return what a name of a file may be once the file is loaded; bottom if the file has no such name."""

    def attribute(self, place: Place, owner: Possibility, name: str) -> ValueSet:
        """Return what an attribute of one possible owner may be."""

    def has_attribute(self, one: Possibility, name: str) -> bool | None:
        """Tell whether something has an attribute, or None if that is unknown."""

    def callees(self, place: Place) -> tuple[Function, ...]:
        """Return the functions of the project that a call may run, each once."""

    def callers_of(self, file: ParsedFile, scope: Scope) -> tuple[Place, ...]:
        """Return the calls of a function, and the places that pass it to something that calls it."""

    def decide(self, place: Place) -> Decide:
        """Return the predicate by which a walk from a place decides the tests on its path."""

    def one_call_deeper(self, ask: Callable[[], ValueSet]) -> ValueSet:
        """Return what is found one call deeper, or unknown at the limit of call depth."""

    def table(
        self, walk: Callable[..., object], nothing: object, in_order: InOrder
    ) -> Query[tuple[object, ...], object]:
        """Return the query of a tabled walk; its key is the arguments of the walk."""

    def is_module(self, place: Place) -> bool:
        """Tell whether every possibility of an expression is an nn.Module."""

    def is_guarded(self, place: Place) -> bool:
        """Tell whether machines without CUDA never reach a place; asked in a world that has none."""
