"""What `torch.load` loads: a checkpoint, a file that the function has just written, or something else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.checkpoints.copied_state import is_copied_into_module, is_put_into_object
from torchlint.model.checkpoints.host_files import is_from_host
from torchlint.model.checkpoints.published import is_published
from torchlint.model.checkpoints.saved_by_trainers import is_saved_by_trainer
from torchlint.model.checkpoints.temporary import is_temporary
from torchlint.model.checkpoints.written_before import is_written_before
from torchlint.model.guards.catching import catching
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.parallel.gpu_groups import is_every_ranks
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.training.trained_before import calls_a_load, has_trained_before
from torchlint.model.values.def_use import Use, ancestors, uses_of
from torchlint.model.values.value_sets import Built, Unknown
from torchlint.model.worlds import ANYWHERE, WITHOUT_CUDA
from torchlint.pytorch.module_attributes import OF_MODULES_ALONE
from torchlint.pytorch.state_dicts import FILLING_STATE, NAMES_OF_TENSORLESS, TENSORLESS_STATE, WEIGHTS_ONLY_SINCE
from torchlint.pytorch.symbols import LOAD
from torchlint.syntax.around import parent_of
from torchlint.syntax.device_words import speaks_of_hardware
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_STATE_KEYS = re.compile(
    r"(?<![a-z])(state|model|net|netg|netd|network|optim|optimizer|scheduler|epoch|weights?|ema"
    r"|generator|discriminator|encoder|decoder|backbone)(?![a-z])"
)
_STATE_NAMES = re.compile(r"(?<![a-z])(state|checkpoint|ckpt|weights|pretrained)(?![a-z])")
_GONE_THROUGH = frozenset({"items", "keys", "values"})
_ASKING_KEYS = ("get", "pop")


@dataclass(frozen=True, slots=True)
class Load:
    """A call of `torch.load`, and what is known of the file that it reads."""

    call: Call

    @property
    def source(self) -> Place | None:
        """Return what is read: a path, a file."""
        return self.call.argument("f", 0)

    @property
    def is_checkpoint(self) -> bool:
        """Tell whether what is loaded becomes the state of a module or optimizer, or is a module itself."""
        ev = self._evaluator
        kept = (is_copied_into_module, is_put_into_object)
        return any(_is_restored(ev, use) or any(is_kept(ev, use) for is_kept in kept) for use in uses_of(ev, self.call))

    @property
    def is_own(self) -> bool:
        """Tell whether this run wrote the file: in memory, in a temporary folder, or by training before."""
        source = self.source
        if source is None:
            return False
        ev = self._evaluator
        return (
            self._is_in_memory(source)
            or is_temporary(source)
            or is_saved_by_trainer(ev, source)
            or is_written_before(ev, self.call, written(source.expression))
            or has_trained_before(ev, self.call)
        )

    @property
    def takes_weights_only(self) -> bool:
        """Tell whether `weights_only` is True by default in every PyTorch that the project supports."""
        target = self.call.file.oldest_torch
        return target is None or target >= WEIGHTS_ONLY_SINCE

    @property
    def is_from_host(self) -> bool:
        """Tell whether the project saves only what is on the host to the file."""
        return self.source is not None and is_from_host(self._evaluator, self.source)

    @property
    def is_published(self) -> bool:
        """Tell whether the file is one of the weights that torchvision publishes, which are on the CPU."""
        return self.source is not None and is_published(self._evaluator, self.source)

    @property
    def is_guarded(self) -> bool:
        """Tell whether a machine without CUDA never reaches the call, or loads the file otherwise."""
        return is_guarded(self.call.file.project.evaluator(WITHOUT_CUDA), self.call, caught=_is_loaded_otherwise)

    @property
    def is_every_ranks(self) -> bool:
        """Tell whether each rank of a program on several GPUs makes the call."""
        return is_every_ranks(self._evaluator, self.call)

    @property
    def _evaluator(self) -> Evaluator:
        return self.call.file.project.evaluator(ANYWHERE)

    def _is_in_memory(self, source: Place) -> bool:
        return any(isinstance(one.value, Built) and one.value.name == "io.BytesIO" for one in source.possibilities())


def loads_of(file: ParsedFile) -> Iterator[Load]:
    """Yield the calls of `torch.load`, in source order."""
    return (Load(call) for call in calls_of(file, frozenset({LOAD})))


def _is_loaded_otherwise(place: Place) -> bool:
    """Tell whether the handler of a failed load loads again, or mentions devices.

    A handler that goes on without the checkpoint has lost it without a message.
    """
    statements = (statement for handler in catching(place) for statement in handler.body)
    return any(speaks_of_hardware(statement) or calls_a_load(statement) for statement in statements)


def _is_restored(ev: Evaluator, use: Use) -> bool:
    """Tell whether a read shows that something is a checkpoint: by its keys, its methods, its name, or its consumer."""
    is_whole = use.is_whole
    for parent, child in ancestors(use.place):
        if isinstance(parent, ast.Call) and child is not parent.func and _restores(parent.func):
            return not (is_whole and child is use.place.expression and _is_of_numbers(ev, use.place, parent.func))
        if is_whole and any(_STATE_KEYS.search(key.lower()) for key in _keys(parent, child)):
            return True
        if is_whole and child is use.place.expression and _is_module(use.place, parent):
            return True
        if is_whole and child is use.place.expression and _is_iterated_state(use.place, parent):
            return True
        is_whole = is_whole and isinstance(parent, (ast.Subscript, ast.Attribute))
    return False


def _is_module(place: Place, parent: ast.AST) -> bool:
    """Tell whether something is called, or has a method of modules called: `corpus.train` may be a tensor."""
    if not is_used_as_module(parent, place.expression):
        return False
    if not isinstance(parent, ast.Attribute):
        return True
    match parent_of(place.at(parent)):
        case ast.Call(func=function):
            return function is parent
        case _:
            return False


def _is_iterated_state(place: Place, parent: ast.AST) -> bool:
    """Tell whether something is a dict whose name says that it is a state: `for key, value in state.items():`."""
    is_dict = isinstance(parent, ast.Attribute) and parent.attr in _GONE_THROUGH
    return is_dict and _STATE_NAMES.search(place.word.lower()) is not None


def _restores(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return "load_state_dict" in name or name in FILLING_STATE


def _is_of_numbers(ev: Evaluator, place: Place, function: ast.expr) -> bool:
    """Tell whether the state dicts of what loads one hold no tensors, by its class or else by its name."""
    if not isinstance(function, ast.Attribute):
        return False
    owner = place.at(function.value)
    found = [one.value for one in ev.evaluate(owner)]
    if all(isinstance(one, Unknown) for one in found):
        return NAMES_OF_TENSORLESS.fullmatch(owner.word.lower()) is not None
    return all(is_a(ev, one, TENSORLESS_STATE) for one in found)


def _keys(parent: ast.AST, child: ast.AST) -> Iterator[str]:
    """Yield the keys that are read from something: `saved["model"]`, `"model" in saved`, `saved.get("model")`."""
    match parent:
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
            yield key
        case ast.Subscript(value=asked) | ast.Call(func=asked) if asked is child:
            if (taken := item_taken(parent)) is not None:
                yield taken[1]


def item_taken(node: ast.AST | None) -> tuple[ast.expr, str] | None:
    """Return the container and the constant key of an item read: `saved["epoch"]`, `saved.get("epoch")`."""
    match node:
        case ast.Subscript(value=container, slice=ast.Constant(value=str(key))):
            return container, key
        case ast.Call(func=ast.Attribute(value=container, attr=name), args=[ast.Constant(value=str(key)), *_]):
            return (container, key) if name in _ASKING_KEYS else None
        case _:
            return None


def is_used_as_module(parent: ast.AST, child: ast.AST) -> bool:
    """Tell whether the parent of an expression calls it, or reads an attribute that only modules have."""
    match parent:
        case ast.Attribute(attr=name):
            return name in OF_MODULES_ALONE
        case ast.Call(func=function):
            return function is child
        case _:
            return False
