"""Which programs use another GPU than the first at all, as a fast check: most do not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.call_graph.close_files import are_close
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.facts import fact
from torchlint.model.holding import files_holding
from torchlint.model.place import Place
from torchlint.model.values.naming import bound_inside
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Literal
from torchlint.syntax.around import parent_of
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.other_names import comprehended
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Parameter

_WRITTEN = re.compile(r"cuda:[1-9]|\.to\(\s*[1-9]|\bdevice\s*=\s*[1-9]")
_OPTIONS = ("gpu", "GPU", "cuda", "CUDA", "device", "DEVICE")
# What names one as the default of an option, a field or a variable of the environment.
_BY_DEFAULT = re.compile(
    r"(gpu|cuda|device)(s|[-_]?(ids?|index|idx|num|number|no))?"
    r"""(["'][^()]{0,200}\bdefault *=|(: *[\w. |]{1,40})? *=|["'], *) *["']?(cuda:)?[1-9]""",
    re.IGNORECASE,
)
_NUMBERED = ("cuda", "device", "set_device", "set_device_index", "device_index")
_CUDA = "cuda"
_PREFIX = f"{_CUDA}:"
# A file without any of these uses no GPU by a number; with only `"cuda"` it may change freely.
_SAYING = (_PREFIX, ".cuda(", "cuda.device(", "set_device", "device_index(", "device=1", ".to(1", '"cuda",', "'cuda',")


def names_further_gpu(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a file, or one close to it, may use another GPU than the first by a known number or a counter."""
    return ev.project.once(NamesFurther(file.location))


def itself_names_further_gpu(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a file itself may use another GPU than the first by a known number or a counter."""
    return file in ev.project.once(_naming)


def has_further_default(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether an option in a program with a file may name another GPU than the first by default."""
    return any(may_share_program(ev, one, file) for one in ev.project.once(_with_options))


@fact
@dataclass(frozen=True, slots=True)
class NamesFurther:
    """The question whether a file, or one close to it, may use another GPU than the first by a number or a counter."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        naming, file = ev.project.once(_naming), ev.project.parsed(self.location)
        return file is not None and any(are_close(ev, file, one) for one in naming)


def _naming(ev: Evaluator) -> tuple[ParsedFile, ...]:
    return tuple(file for file in files_holding(ev, _SAYING) if _names_further(ev, file))


def _with_options(ev: Evaluator) -> tuple[ParsedFile, ...]:
    return tuple(file for file in files_holding(ev, _OPTIONS) if _BY_DEFAULT.search(file.code))


def _names_further(ev: Evaluator, file: ParsedFile) -> bool:
    if _WRITTEN.search(_without_docstrings(file)):
        return True
    numbers = list(_numbers(file))
    if any(_is_counted(ev, term) for number in numbers for term in _terms(number)):
        return True
    # `torch.device(device)` is given a device more often than a number.
    given = (term for number in numbers if not _is_alone_in_device(number) for term in _terms(number))
    return any(_is_passed_counter(ev, term) for term in given) or any(_may_be_further(ev, one) for one in numbers)


@tabled(False)
def _is_passed_counter(ev: Evaluator, name: Place) -> bool:
    """Tell whether calls in view pass a counter for a name that is a parameter: `[try_gpu(i) for i in range(n)]`."""
    parameter = _parameter_of(name)
    callers = ev.callers(Function(name.file, name.scope)) if parameter is not None else ()
    passed = (one for caller in callers if parameter is not None for one in caller.argument(parameter) or ())
    return any(_is_counted(ev, term) or _is_passed_counter(ev, term) for one in passed for term in _terms(one))


def _is_counted(ev: Evaluator, name: Place) -> bool:
    """Tell whether a name may count GPUs where it stands."""
    assert isinstance(name.expression, ast.Name)
    return name.expression.id in _counters(ev, name.file) and _parameter_of(name) is None and _may_count(name)


def _parameter_of(name: Place) -> Parameter | None:
    """Return the parameter that a name means."""
    assert isinstance(name.expression, ast.Name)
    found = next((one for one in name.scope.parameters if one.name == name.expression.id), None)
    return found if found is not None and next(bound_inside(name), None) is None else None


def _may_count(name: Place) -> bool:
    """Tell whether a name may count GPUs, and not only go through devices: `for i in devices` does that."""
    assert isinstance(name.expression, ast.Name)
    inner = next(bound_inside(name), None)
    bound = [inner[1]] if inner is not None else name.scope.bindings.get(name.expression.id, [])
    sources = [one.value for one in bound if one is not None and one.kind == "iterate"]
    return not bound or len(sources) < len(bound) or any(_counts(one) for one in sources if one is not None)


def _terms(number: Place) -> Iterator[Place]:
    """Yield the names that a number is the sum of: `i` and `first` of `i + first`."""
    match number.expression:
        case ast.Name():
            yield number
        case ast.BinOp(left=left, right=right):
            yield from (*_terms(number.at(left)), *_terms(number.at(right)))


def _without_docstrings(file: ParsedFile) -> str:
    lines = file.source.text.splitlines()
    for statement in file.index.statements(ast.Expr):
        if isinstance(statement.value, ast.Constant):
            for line in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
                lines[line] = ""
    return "\n".join(lines)


@tabled(frozenset[str]())
def _counters(_: Evaluator, file: ParsedFile) -> frozenset[str]:
    """Return the names that may count GPUs: those bound by loops over `range(…)`."""
    bindings = (one for scope in file.index.scopes for bound in scope.bindings.values() for one in bound)
    loops = [(one.name, one.value) for one in bindings if one.kind == "iterate" and one.value is not None]
    texts = _listed_as_texts(file)
    loops += ((target.id, iterable) for target, iterable in comprehended(file.index) if iterable not in texts)
    return frozenset(name for name, iterable in loops if _counts(iterable))


def _listed_as_texts(file: ParsedFile) -> set[ast.expr]:
    """Return what is listed as texts, which name no GPU by themselves: `",".join(str(i) for i in range(count))`."""
    found = set[ast.expr]()
    for kind in (ast.GeneratorExp, ast.ListComp):
        for comprehension, _ in file.index.expressions(kind):
            match comprehension:
                case (
                    ast.GeneratorExp(elt=ast.Call(func=ast.Name(id="str")), generators=[loop])
                    | ast.ListComp(elt=ast.Call(func=ast.Name(id="str")), generators=[loop])
                ):
                    found.add(loop.iter)
    return found


def _counts(iterable: ast.expr) -> bool:
    return any(map(_is_counting, walk(iterable)))


def _is_alone_in_device(number: Place) -> bool:
    """Tell whether a number is all that `torch.device(…)` is given."""
    call = parent_of(number)
    return isinstance(call, ast.Call) and callee_name(call) == "device" and len(call.args) + len(call.keywords) == 1


def _is_counting(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and callee_name(node) in {"range", "enumerate"}


def _numbers(file: ParsedFile) -> Iterator[Place]:
    """Yield what may be the number of a GPU, by its syntax: `i` of `x.cuda(i)` and of `f"cuda:{i}"`."""
    for name in _NUMBERED:
        for call, statement in file.index.calls(name):
            given = (*call.args, *(word.value for word in call.keywords))
            if not given or not _is_other_kind(given[0]):
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


def _is_other_kind(kind: ast.expr) -> bool:
    """Tell whether the type of a device is another one than CUDA: `torch.device("npu", i)`."""
    return isinstance(kind, ast.Constant) and isinstance(kind.value, str) and not kind.value.startswith(_CUDA)


def _may_be_further(ev: Evaluator, number: Place) -> bool:
    constants = [one.value.value for one in ev.evaluate(number) if isinstance(one.value, Literal)]
    return any(str(one).isdecimal() and int(str(one)) > 0 for one in constants if isinstance(one, (int, str)))
