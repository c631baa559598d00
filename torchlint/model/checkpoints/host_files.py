"""Files that a project writes from the host alone: `net.cpu()`, `torch.save(net.state_dict(), "last.pth")`.

Whoever loads one needs no GPU. Files are told apart by their names, where every save and the load leave no choice;
those of one folder that differ in what is filled in, `f"data/{split}.pt"`, are taken for one.
"""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from torchlint.model.checkpoints.checkpoint_names import file_names, path_of_object
from torchlint.model.checkpoints.saving import parts_of, saving_calls
from torchlint.model.devices.never_moved import is_never_moved
from torchlint.model.training.counters import is_counter
from torchlint.model.values.possible import (
    HOST,
    Array,
    Display,
    Literal,
    Number,
    Possibility,
    StateDict,
    Tensor,
    Text,
    is_open,
)

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.evaluator import Evaluator

_DEEPEST = 4


def is_from_host(ev: Evaluator, path: Place) -> bool:
    """Tell whether what is read is a file of which the project surely saves only what is on the host."""
    name = _told_apart(path)
    return name is not None and name in ev.project.once(host_files)


def _told_apart(path: Place) -> str | None:
    """Return what tells a file from others: how it is called, or whose path it is."""
    return file_names(path) or path_of_object(path)


def host_files(ev: Evaluator) -> frozenset[str]:
    """Return the names of the files into which a project saves what is on the host, and nothing else."""
    found: set[str] = set()
    others: set[str] = set()
    for call in saving_calls(ev):
        node = call.expression
        assert isinstance(node, ast.Call)
        match node.args:
            case [what, path, *_] if (name := _told_apart(call.at(path))) is not None:
                (found if _is_on_host(ev, call.at(what)) else others).add(name)
    return frozenset(name for name in found - others if not any(_is_alike(other, name) for other in others))


def _is_alike(other: str, name: str) -> bool:
    """Tell whether a file may be one of those that a name with a star stands for: `a.pt` of `data/*.pt`."""
    return "*" in name and "*" not in other and fnmatchcase(other, name.rpartition("/")[2])


def _is_on_host(ev: Evaluator, saved: Place, depth: int = 0) -> bool:
    possible = ev.evaluate(saved)
    # What counts rounds is often read from the file of an earlier run, and nobody knows what that holds.
    counts = is_counter(saved.expression)
    return bool(possible) and all((counts and is_open(one)) or _is_one_on_host(ev, one, depth) for one in possible)


def _is_one_on_host(ev: Evaluator, one: Possibility, depth: int) -> bool:
    match one.value:
        case Literal() | Number() | Text() | Array():
            return True
        case Tensor(device=device):
            return device == HOST
        case StateDict(owner=owner):
            return ev.residence(owner) == HOST or is_never_moved(ev, owner)
        case Display(place=written) if depth < _DEEPEST:
            return all(_is_on_host(ev, part, depth + 1) for part in parts_of(written))
        case _:
            return False
