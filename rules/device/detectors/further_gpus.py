"""Which programs use another GPU than the first at all, as a fast check: most do not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Literal

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_WRITTEN = re.compile(r"cuda:[1-9]|\.to\(\s*[1-9]|\bdevice\s*=\s*[1-9]")
# A loop may count them: `for i in range(2): x.to(f"cuda:{i}")`.
_COUNTED = re.compile(r"""cuda:\{|["']cuda["'], *[a-z]|cuda:["'] *\+|cuda:%[dis]|\.cuda\([a-z]""")
_NUMBERED = ("cuda", "device", "set_device", "set_device_index", "device_index")
_PREFIX = "cuda:"
# A file without any of these uses no GPU by a number; with only `"cuda"` it may change freely.
_SAYING = (_PREFIX, ".cuda(", "cuda.device(", "set_device", "device_index(", "device=1", ".to(1", '"cuda",', "'cuda',")


def names_further_gpu(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program with a file may use another GPU than the first by a known number."""
    return ev.project.once(NamesFurther(file.location))


@dataclass(frozen=True, slots=True)
class NamesFurther:
    """The question whether a program with a file may use another GPU than the first by a known number."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        naming, file = ev.project.once(_naming), ev.project.parsed(self.location)
        return file is not None and any(may_share_program(ev, one, file) for one in naming)


def _naming(ev: Evaluator) -> tuple[ParsedFile, ...]:
    paths = dict.fromkeys(path for text in _SAYING for path in ev.project.library.holding(text))
    files = map(ev.project.parsed, paths)
    return tuple(file for file in files if file is not None and _names_further(ev, file))


def _names_further(ev: Evaluator, file: ParsedFile) -> bool:
    text = file.source.text
    if _WRITTEN.search(text) or ("range(" in text and _COUNTED.search(text)):
        return True
    return any(_may_be_further(ev, number) for number in _numbers(file))


def _numbers(file: ParsedFile) -> Iterator[Place]:
    """Yield what may be the number of a GPU, by its syntax: `i` of `x.cuda(i)` and of `f"cuda:{i}"`."""
    for name in _NUMBERED:
        for call, statement in file.index.calls(name):
            given = (*call.args, *(word.value for word in call.keywords))
            yield from (Place(file, one, statement) for one in given if not isinstance(one, ast.Starred))
    for node, statement in file.index.expressions(ast.JoinedStr):
        if _PREFIX in file.text_of(node):
            yield from (Place(file, one.value, statement) for one in node.values if isinstance(one, ast.FormattedValue))
    for operation, statement in file.index.expressions(ast.BinOp):
        match operation:
            case ast.BinOp(left=ast.Constant(value=str(text)), right=right) if text.startswith(_PREFIX):
                inner = right.args[0] if isinstance(right, ast.Call) and right.args else right
                yield Place(file, inner, statement)
    for call, statement in file.index.calls("format"):
        match call.func:
            case ast.Attribute(value=ast.Constant(value=str(text))) if text.startswith(_PREFIX):
                yield from (Place(file, one, statement) for one in call.args if not isinstance(one, ast.Starred))


def _may_be_further(ev: Evaluator, number: Place) -> bool:
    constants = [one.value.value for one in ev.evaluate(number) if isinstance(one.value, Literal)]
    return any(isinstance(one, int) and one > 0 and one is not True for one in constants)
