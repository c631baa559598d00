"""Options that choose between devices and are none themselves: `if args.gpu_type == "cuda": torch.device("cuda:0")`.

If such an option is CUDA by default, the default itself is not reported, for it is no argument of a call that needs a
device. So a test of it is no guard.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import holds_options

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


def is_choice(ev: Evaluator, test: Place) -> bool:
    """Tell whether a test compares an option that the whole project only compares."""
    match test.expression:
        case ast.Compare(left=ast.Attribute(value=owner, attr=name)) if holds_options(owner):
            paths = ev.project.library.holding(f".{name}")
            files = (file for path in paths if (file := ev.project.parsed(path)) is not None)
            is_declared = bool(ev.project.paths_declaring(name))
            return is_declared and all(_is_compared_only(file, name) for file in files)
        case _:
            return False


def _is_compared_only(file: ParsedFile, name: str) -> bool:
    """Tell whether a file only compares an option, and formats it into texts."""
    reads = [(node, at) for node, at in file.attribute_reads(name) if holds_options(node.value)]
    return all(isinstance(file.parents_in(at).get(node), (ast.Compare, ast.FormattedValue)) for node, at in reads)
