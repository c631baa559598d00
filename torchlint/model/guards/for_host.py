"""Places for the host: arms of tests of a flag that the program also asks where it moves to a GPU.

`if self.use_cuda: self.net.cuda()` in a constructor, and `else: y.numpy()` in a method: where the second runs, the
module is on the host. The flag may be an attribute, an option or an entry of a configuration.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.pytorch.metadata import METADATA
from torchlint.syntax.around import dominating_conditions, is_self
from torchlint.syntax.facts import atoms

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Several GPUs, or none of them: `multi_gpu` and `n_gpu > 1` say nothing about one.
_ON_GPU = re.compile(r"_?(is|has|use|with|on|enable)?_?(cuda|gpu)(_?(available|enabled|flag|mode))?")
_ON_HOST = re.compile(r"_?(no_?(cuda|gpu)|(is|use|on|force)?_?cpu(_?only)?)")


def is_for_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place runs only if an undecided flag says that the program does not use CUDA."""
    return any(
        _says_host(part, holds) and ev.truth(Place(place.file, part, one.statement, place.frame, place.given)) is None
        for one in dominating_conditions(place)
        for part, holds in atoms(one.test, one.holds)
    )


def _says_host(test: ast.expr, holds: bool) -> bool:
    name = _flag(test).lower()
    return (_ON_HOST if holds else _ON_GPU).fullmatch(name) is not None


def _flag(test: ast.expr) -> str:
    """Return the name of a flag: of a variable or an attribute, or its key in a configuration."""
    match test:
        # `x.is_cuda` says where that tensor is, and nothing about the program.
        case ast.Attribute(value=owner, attr=name) if name in METADATA and not is_self(owner):
            return ""
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name
        case _:
            return ""
