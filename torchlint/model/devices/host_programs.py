"""Programs that run on the host alone: none of their files mentions a device, whatever others of the project do.

Such a program is not imported for its classes, to make one and move it: that would train, or the name of the file
cannot be imported, `2-train.py`. If a file trains under `if __name__ == "__main__"`, the rest of the project decides:
nothing imports it, and it is in no package. A file that does not train may be imported anywhere. Packages that may move
their arguments, as trainers do, are no part of one either. What is made on the device of another tensor,
`device=x.device`, asks for none, and neither do seeds for a GPU or prose: a docstring, or code that is put in quotes to
leave it out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.files.notebook_names import is_notebook
from torchlint.model.call_graph.importing import may_import_any, named_by, program_files, programs_with
from torchlint.model.facts import fact
from torchlint.pytorch.device_queries import PLACING_NOTHING
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Scope
from torchlint.words import DEVICE_WORDS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.binding import Importing

_TRAINING = "backward"
# It moves its inputs to a GPU if there is one.
_WORDS = (*DEVICE_WORDS, "DataParallel")
# Packages beside Python's own that move nothing unless they are passed a device.
_UNMOVING = frozenset(
    "torch torchvision torchtext torchaudio numpy scipy pandas sklearn matplotlib mpl_toolkits seaborn PIL cv2 skimage"
    " tqdm gym gymnasium nltk requests unidecode tensorboardX visdom IPython".split()
)
_KNOWN = _UNMOVING | sys.stdlib_module_names
FOLLOWING = re.compile(r"\bdevice=[\w.]+\.device\b")
"""What makes a tensor wherever another one is."""
_SEEDING = re.compile(rf"\bcuda\.({'|'.join(sorted(name.rpartition('.')[2] for name in PLACING_NOTHING))})\b")


def runs_on_host(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether no file of the project, or of the program that a file is, mentions a device."""
    if not ev.project.library.asks_for_devices:
        return True
    if _speaks_of_devices(ev, file):
        return False
    return ev.project.once(_IsHostProgram(file.location)) or ev.project.once(_asks_in_prose_alone)


def shows_no_gpu(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether the programs in view with a file mention no device: others may still import it of its package."""
    return not _speaks_of_devices(ev, file) and ev.project.once(_IsStartedOnHost(file.location))


@fact
def _asks_in_prose_alone(ev: Evaluator) -> bool:
    """Tell whether only the prose of a project mentions devices; a device that is followed may be any."""
    paths = (path for word in _WORDS for path in ev.project.library.holding(word))
    files = map(ev.project.parsed, paths)
    return all(one is not None and not _is_said(placing(one.code), placing(_prose(one))) for one in files)


def _speaks_of_devices(ev: Evaluator, file: ParsedFile) -> bool:
    return any(word in file.code for word in _WORDS) and ev.project.once(_SpeaksOfDevices(file.location))


@fact
@dataclass(frozen=True, slots=True)
class _SpeaksOfDevices:
    """The question whether a file mentions devices in more than its prose."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        file = ev.project.parsed(self.location)
        if file is None:
            return True
        code, prose = placing(file.code), placing(_prose(file))
        if [word for word in _WORDS if word in code] == ["device"]:
            code, prose = (FOLLOWING.sub("", one) for one in (code, prose))
        return _is_said(code, prose)


def placing(code: str) -> str:
    """Return code without what has a GPU in its name and puts nothing there: `torch.cuda.manual_seed_all(0)`."""
    return _SEEDING.sub("", code) if "cuda." in code else code


def _is_said(code: str, prose: str) -> bool:
    return any(code.count(word) > prose.count(word) for word in _WORDS)


def _prose(file: ParsedFile) -> str:
    """Return the docstrings of a file, and the other strings that are statements."""
    statements = file.index.statements(ast.Expr)
    texts = (one for one in statements if isinstance(one.value, ast.Constant) and isinstance(one.value.value, str))
    return "\n".join(map(file.code_of, texts))


@fact
@dataclass(frozen=True, slots=True)
class _IsHostProgram:
    """The question whether a file is a program that runs on the host alone."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        return _is_host_program(ev, self.location, may_be_packed=False)


@fact
@dataclass(frozen=True, slots=True)
class _IsStartedOnHost:
    """The same question, also for a file of a package that nothing in view imports."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        return _is_host_program(ev, self.location, may_be_packed=True)


def _is_host_program(ev: Evaluator, location: Path, *, may_be_packed: bool) -> bool:
    file = ev.project.parsed(location)
    if file is None or not _is_program(ev, file, may_be_packed=may_be_packed) or may_import_any(ev, location):
        return False
    files = map(ev.project.parsed, sorted(program_files(ev, file)))
    return all(one is not None and not _speaks_of_devices(ev, one) and _is_open_to_see(ev, one) for one in files)


def _is_open_to_see(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a file imports only files of the project, and packages that move nothing by themselves."""
    return all(_is_known(ev, file, statement) for statement in file.index.imports)


def _is_known(ev: Evaluator, file: ParsedFile, statement: Importing) -> bool:
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
        return all(_first(name) in _KNOWN or ev.project.locate(file.location, name, 0) is not None for name in names)
    return _first(statement.module or "") in _KNOWN or any(True for _ in named_by(ev, file.location, statement))


def _first(name: str) -> str:
    return name.partition(".")[0]


def _is_program(ev: Evaluator, file: ParsedFile, *, may_be_packed: bool) -> bool:
    is_importable = file.location.stem.isidentifier() and not is_notebook(file.location.name)
    return not is_importable or _trains(file, when_started=_stands_alone(ev, file, may_be_packed=may_be_packed))


def _stands_alone(ev: Evaluator, file: ParsedFile, *, may_be_packed: bool) -> bool:
    """Tell whether nothing of the project imports a file, and nothing else would: it is in no package."""
    is_packed = any(True for _ in ev.project.library.packages_around(str(file.location)))
    return (may_be_packed or not is_packed) and programs_with(ev, file) == (file.location,)


def _trains(file: ParsedFile, *, when_started: bool) -> bool:
    """Tell whether a file trains when it is imported or started: at its top, or in what is called there."""
    if not file.index.calls(_TRAINING):
        return False
    functions: dict[str, list[Scope]] = {}
    for one in file.index.scopes:
        if one.kind == "function":
            functions.setdefault(one.name, []).append(one)

    def called_in(scope: Scope) -> set[str]:
        calls = file.calls_in_scope(scope)
        return {callee_name(call) for call, at in calls if when_started or not _is_for_script(file, at)}

    def run_by(scope: Scope) -> Iterator[Scope]:
        return (function for name in sorted(called_in(scope)) for function in functions.get(name, ()))

    return any(_TRAINING in called_in(scope) for scope in closure(file.index.scope, run_by))


def _is_for_script(file: ParsedFile, statement: ast.stmt) -> bool:
    """Tell whether a statement runs only if its file is started, and not if it is imported."""
    owners = (block.owner for block, _ in file.index.blocks_around(statement))
    return any(isinstance(one, ast.If) and "__name__" in file.code_of(one.test) for one in owners)
