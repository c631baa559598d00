"""The files of a project: read, parsed and found when they are asked for."""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from torchlint.files.regular import read_regular
from torchlint.inference.limits import UNCOUNTED_ANSWERS
from torchlint.model.facts import key_of
from torchlint.model.interface import ParsedFile
from torchlint.model.options.option_calls import files_declaring
from torchlint.model.sourcefile import SourceFile
from torchlint.model.values.evaluator import Evaluator
from torchlint.model.values.shared_memo import SharedMemos
from torchlint.model.worlds import ANYWHERE, World
from torchlint.project.dependencies import MemoEntry, Table
from torchlint.project.library import AddedFolders, Library
from torchlint.project.searchpath import added_folders
from torchlint.pytorch.requirements import Requirements
from torchlint.source import Source, UnreadableSourceError, parse, read_source, translated
from torchlint.steps import FOR_A_FILE, BudgetSpentError

if TYPE_CHECKING:
    from torchlint.notebook.layout import Notebook
    from torchlint.project.facts import FactKey
    from torchlint.pytorch.requirements import Required

_Found = TypeVar("_Found")
# A parsed file takes some twenty times its size.
_MOST_PARSED = 3_000
# One file may lead to nearly all others, which are parsed and asked about again whenever all is let go of.
_MOST_TIMES = 2
# A project with more scripts that change `sys.path` has many programs, each with its own.
_MOST_SCRIPTS = 40


class Project:
    """Everything below one root, of which some files are linted and the others only read.

    `linted` holds what the files that are linted are called in findings; they are of the project wherever they lie.
    `edited` holds what is to be taken for the bytes of some files: an editor has them so, and has not saved them yet.
    `library` is that of the same files, if it exists already; `companions` are the versions that are required, and
    `nested` what folders require for the files in them, the innermost first.
    """

    def __init__(
        self,
        root: Path,
        target_torch: tuple[int, int] | None = None,
        linted: Mapping[Path, str] | None = None,
        edited: Mapping[Path, bytes] | None = None,
        library: Library | None = None,
        companions: Iterable[Required] = (),
        nested: Iterable[Requirements] = (),
    ) -> None:
        self.root = root
        self.requirements = (*nested, Requirements("", target_torch, tuple(companions)))
        self._linted = linted or {}
        self._edited = dict(edited or {})
        self.library = library or Library(root, self._linted, self._edited)
        """Where the project's files are, and what words they hold."""
        self._files: dict[Path, SourceFile | None] = {}
        self._linted_since = 0
        """The files that were linted since all was let go of."""
        self.shared = SharedMemos(self.library.dependencies)
        self._evaluators: dict[World, Evaluator] = {}
        self._own_evaluators: dict[object, Evaluator] = {}
        self._found: Table[Hashable, object] = self.library.dependencies.table()
        self._fact_keys: dict[Hashable, FactKey | None] = {}
        self._given_up: set[object] = set()
        """The questions about the whole project that took too many steps."""
        self._added_by: dict[Path, AddedFolders] = {}

    def open(self, path: Path, shown: str, data: bytes | None = None) -> SourceFile:
        """Read and parse a file; `shown` is its name in findings, `data` its bytes if they were read before.

        Raises `OSError` if the file cannot be read and `UnreadableSourceError` if it cannot be parsed.
        """
        location = path.absolute()
        known = self._files.get(location)
        if known is not None and not known.source.is_translated and (data is None or data == known.source.data):
            return known
        source = self._read(location, shown, data)
        file = self._files[location] = SourceFile(self, location, source, parse(source))
        return file

    def _read(self, location: Path, shown: str, data: bytes | None = None) -> Source:
        data = self._edited.get(location) if data is None else data
        return read_source(shown, self.library.same(location, read_regular(location) if data is None else data))

    def evaluator(self, world: World) -> Evaluator:
        """Return what answers questions about the project in a world."""
        if world not in self._evaluators:
            self._evaluators[world] = Evaluator(self, world, self.shared)
        return self._evaluators[world]

    def _anywhere(self) -> Evaluator:
        """Return an evaluator of its own: what is found in cycles of its queries is of no other."""
        return Evaluator(self, ANYWHERE, self.shared)

    def lasting(self, made: Callable[[Evaluator], _Found]) -> _Found:
        """Return what is made once, by an evaluator of its own, so that no other query changes it."""

        def make() -> _Found:
            evaluator = self._own_evaluator(made)
            lasting = made(evaluator)
            evaluator.discard_provisional()
            return lasting

        return self._once(made, make)

    def once(self, question: Callable[[Evaluator], _Found]) -> _Found:
        """Return the answer to a question about the whole project; it is computed once, for any machine."""
        # Questions of several kinds about the same file have the same hash.
        key = (type(question), question)

        def ask() -> _Found:
            return self._once(key, lambda: question(self._anywhere()))

        if key not in self._fact_keys:
            self._fact_keys[key] = key_of(question)
        fact = self._fact_keys[key]
        return ask() if fact is None else cast("_Found", self.told(fact, cast("Callable[[], bool]", ask)))

    def told(self, key: FactKey, ask: Callable[[], bool]) -> bool:
        """Return the answer to a yes-or-no question; what asks it depends on the answer alone."""
        return self.library.facts.told(key, ask)

    def _own_evaluator(self, question: object) -> Evaluator:
        """Return the evaluator of one question; if that is asked again after an edit, most answers are still valid."""
        return self._own_evaluators.get(question) or self._own_evaluators.setdefault(question, self._anywhere())

    def _once(self, key: Hashable, answer: Callable[[], _Found]) -> _Found:
        """Return an answer that is computed once; what asks for it again depends on the same things."""
        asked, steps = self.library.dependencies, self.library.steps
        if (known := self._found.get(key)) is not None:
            return cast("_Found", asked.recalled(known))
        if key in self._given_up:
            raise BudgetSpentError
        try:
            with steps.apart(FOR_A_FILE * max(self.library.size, 1)):
                found = asked.answered(answer)
        except BudgetSpentError:
            self._given_up.add(key)
            raise
        self._found[key] = cast("MemoEntry[object]", found)
        return found.answer

    def discard_provisional(self) -> None:
        """Make the next file's answers independent of earlier queries."""
        for evaluator in (*self._evaluators.values(), *self._own_evaluators.values()):
            evaluator.discard_provisional()
        if self.library.dependencies.found > UNCOUNTED_ANSWERS:
            self.library.dependencies.found = 0
            self.shared.forget_many()

    def make_room(self) -> None:
        """Let go of all that was read and found where it is much, before the next file: it can be had again.

        What is held on to would lead to files that are no longer those of the project.
        """
        if len(self._files) > _MOST_PARSED and self._linted_since * _MOST_TIMES >= self.library.size:
            self._forget()
        self._linted_since += 1

    def _forget(self) -> None:
        self._linted_since = 0
        self._files.clear()
        self._found.clear()
        self._evaluators.clear()
        self._own_evaluators.clear()
        self._added_by.clear()
        self.shared.forget()
        self.library.dependencies.forget()
        # Scopes and their statements refer to each other, so only the garbage collector frees them.
        gc.collect()

    def parsed(self, location: Path) -> SourceFile | None:
        """Return a file that another one imports, or None if it cannot be read: it is not the one to be linted."""
        self.library.note_read(location)
        if location not in self._files:
            try:
                self.open(location, self._shown(location))
            except UnreadableSourceError:
                self.opened_as_older(location, self._shown(location))
            except OSError:
                self._files[location] = None
        return self._files[location]

    def opened_as_older(self, location: Path, shown: str, data: bytes | None = None) -> SourceFile | None:
        """Return a file that only an older Python can read, None if no known version can."""
        known = self._files.get(location)
        if known is not None and known.source.is_translated and (data is None or data == known.source.data):
            return known
        try:
            source = translated(self._read(location, shown, data))
            file = SourceFile(self, location, source, parse(source)) if source is not None else None
        except (OSError, UnreadableSourceError):
            file = None
        self._files[location] = file
        return file

    def _shown(self, location: Path) -> str:
        if location in self._linted:
            return self._linted[location]
        here = Path.cwd()
        return location.relative_to(here).as_posix() if location.is_relative_to(here) else location.as_posix()

    def notebook_called(self, shown: str) -> Notebook | None:
        """Return the cell positions of the lines of a notebook that was read, by its name in findings."""
        files = (file for file in self._files.values() if file is not None and file.path == shown)
        return next((file.source.notebook for file in files), None)

    def resolve(self, file: ParsedFile, module: str, level: int) -> SourceFile | None:
        """Return the file of the project that an import in another one names, or None for what is outside."""
        location = self.locate(file.location, module, level)
        return self.parsed(location) if location is not None else None

    def locate(self, importer: Path, module: str, level: int) -> Path | None:
        """Return where the file is that an import in another one names, or None for what is outside."""
        location = self.library.find(importer, module, level, self._added(importer))
        if location is None and not level and (added := self._added_by_scripts).behind:
            location = self.library.find(importer, module, level, added)
        return location

    def _added(self, importer: Path) -> AddedFolders:
        """Return what a file adds to `sys.path`."""
        if importer not in self._added_by:
            file = self.parsed(importer) if self.library.may_add_folders(importer) else None
            self._added_by[importer] = added_folders(file, self.library) if file is not None else AddedFolders()
        return self._added_by[importer]

    @property
    def _added_by_scripts(self) -> AddedFolders:
        """Return what the scripts of the project add to `sys.path`: it changes for all that they import."""
        return self._once("sys.path", self._found_in_scripts)

    def _found_in_scripts(self) -> AddedFolders:
        scripts = (self.parsed(path) for path in islice(self.library.holding("sys.path."), _MOST_SCRIPTS))
        added = [self._added(script.location) for script in scripts if script is not None]
        return AddedFolders((), tuple(dict.fromkeys(folder for one in added for folder in (*one.before, *one.behind))))

    def paths_declaring(self, option: str) -> list[Path]:
        """Return the files that may declare an option of the command line."""
        return self._once(("declaring", option), lambda: files_declaring(self.library, option))
