"""Which of the processes of a distributed program reach a place: all of them, or only some ranks.

A test excludes ranks if it compares a rank (`dist.get_rank() == 0`, `args.local_rank in (-1, 0)`), calls a predicate of
the project that does (`is_main_process()`), or one of that name in another package.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Imported, Literal, Number
from torchlint.pytorch.distributed import RANKS
from torchlint.pytorch.processes import SPAWNING
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.facts import Facts
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# The rank of a matrix, or a name for all ranks, is not the rank of a process.
_RANK_NAMES = re.compile(
    r"(?!(.*_)?(all|any|each|every|full|lora|low|matrix|max|min)_rank$)"
    r"(.*_)?(rank|process_index|proc_id|procid)|get_(global_|local_)?rank",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(r"""['"](LOCAL_|GLOBAL_)?RANK['"]|['"]?SLURM_PROCID['"]?""")
_READING = frozenset({"os.environ.get", "os.getenv"})
_PREDICATES = re.compile(
    r"(is_)?(main|master|primary|leader|chief)_(process|proc|rank|node|worker)(_only)?|is_(main|master|leader|chief|primary)"
    r"|is_(global_|local_)?(rank_?)?(zero|0)|is_rank_?(zero|0)|is_(local_|global_)?(main|master)_process|is_first_rank"
    r"|is_first_process|is_primary|rank_?(zero|0)|is_root",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"distribut|world|ddp|initialized|multi|parallel|n_?gpu|device_count|rank|is_available", re.IGNORECASE
)


def rank_test(ev: Evaluator, place: Place, sure: Mapping[str, bool] | None = None) -> Place | None:
    """Return the test in the function of a place that only some ranks pass, or None if all reach the place.

    `sure` are tests whose outcomes are known: all pass `on_all or rank == 0` if `on_all` holds.
    """
    return next(rank_tests(ev, place, sure), None)


def rank_tests(ev: Evaluator, place: Place, sure: Mapping[str, bool] | None = None) -> Iterator[Place]:
    """Yield the tests in the function of a place that only some ranks pass."""
    facts = Facts(sure or {})
    for condition in dominating_conditions(place):
        test = Place(place.file, condition.test, condition.statement, place.frame, place.given)
        if facts.of(condition.test) is not condition.holds and keeps_ranks_out(ev, test, condition.holds):
            yield test


def keeps_ranks_out(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether only some ranks pass a test with this outcome."""
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return keeps_ranks_out(ev, test.at(operand), not holds)
        case ast.BoolOp(op=op, values=values):
            return _of_several(ev, [test.at(value) for value in values], isinstance(op, ast.And) is holds, holds)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compares(ev, test.at(left), op, right)
        case ast.NamedExpr(value=value):
            return keeps_ranks_out(ev, test.at(value), holds)
        case ast.Call():
            return _asked(ev, test, holds)
        case ast.Name() | ast.Attribute():
            return _held(ev, test, holds)
        case _:
            return False


def is_rank(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is the rank of the process."""
    match place.expression:
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))
        ) if _RANK_NAMES.fullmatch(name):
            return not _is_chosen(ev, place)
    if isinstance(place.expression, ast.Name) and _is_spawned_with(ev, place, place.expression.id):
        return True
    for one in ev.evaluate(place):
        if isinstance(one.value, Number) and one.origin is not None and isinstance(one.origin.expression, ast.Call):
            callees = ev.evaluate(one.origin.at(one.origin.expression.func))
            if any(isinstance(callee.value, Imported) and callee.value.name in RANKS for callee in callees):
                return True
    return _ENVIRONMENT.search(place.code) is not None


def _is_chosen(ev: Evaluator, place: Place) -> bool:
    """Tell whether the program chooses a number itself, as the rank of a matrix: `LoRA(layer, rank=8)`."""
    values = [one.value for one in ev.evaluate(place)]
    numbers = [one.value for one in values if isinstance(one, Literal) and isinstance(one.value, int)]
    return bool(numbers) and len(numbers) == len(values) and max(numbers) > 0


def _is_spawned_with(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether a name is the first parameter of a function that `mp.spawn` calls: the index of the process."""
    scope = place.scope
    if not scope.parameters or scope.parameters[0].name != name or len(scope.bindings.get(name, ())) > 1:
        return False
    callers = [caller.place.expression for caller in ev.callers(Function(place.file, scope))]
    return any(isinstance(call, ast.Call) and _last_name(call.func) in SPAWNING for call in callers)


def _of_several(ev: Evaluator, parts: list[Place], each: bool, holds: bool) -> bool:
    """Tell it of a conjunction, where one part is enough, or of a disjunction, whose other parts must say as much.

    Of every program with several ranks, one passes `not distributed or rank == 0`.
    """
    kept = [keeps_ranks_out(ev, part, holds) for part in parts]
    if each or not any(kept):
        return any(kept)
    return all(out or _SEVERAL.search(part.code) is not None for part, out in zip(parts, kept, strict=True))


def _compares(ev: Evaluator, left: Place, op: ast.cmpop, right: ast.expr) -> bool:
    """Tell it of `rank == 0` and `rank != 0`; a negative rank means that the program runs alone."""
    if isinstance(left.expression, ast.Constant):
        left, right = left.at(right), left.expression
    numbers = _numbers(right)
    if not numbers or not is_rank(ev, left):
        return False
    return max(numbers) >= (1 if isinstance(op, (ast.Lt, ast.GtE)) else 0)


def _numbers(node: ast.expr) -> list[int]:
    match node:
        case ast.Constant(value=int(number)):
            return [number]
        case ast.Constant(value=str(digits)) if digits.isdecimal():
            # Environment variables are strings.
            return [int(digits)]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return [-number]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [number for part in parts for number in _numbers(part)]
        case _:
            return []


@tabled(False)
def _asked(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell it of a predicate: by what it returns if it is one of the project, else by its name."""
    assert isinstance(test.expression, ast.Call)
    callees = [one.value for one in ev.evaluate(test.at(test.expression.func))]
    functions = [callee for callee in callees if isinstance(callee, Function)]
    if functions:
        returned = [Place(f.file, r.value, r) for f in functions for r in f.scope.returns if r.value is not None]
        tests = [one for one in returned if not isinstance(one.expression, ast.Constant)]
        return bool(tests) and all(keeps_ranks_out(ev, one, holds) for one in tests)
    name = _last_name(test.expression.func)
    if _PREDICATES.fullmatch(name) is not None or _is_read_number(test):
        return True
    return is_rank(ev, test) and _RANK_NAMES.fullmatch(name) is not None


def _is_read_number(place: Place) -> bool:
    """Tell whether an expression is the rank from the environment, as a number: a string is true on all ranks."""
    match place.expression:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Subscript(value=container, slice=key)]):
            return "os.environ" in place.at(container).names and _ENVIRONMENT.fullmatch(place.at(key).code) is not None
        case ast.Call(func=ast.Name(id="int"), args=[ast.Call(func=function, args=[key, *_])]):
            is_read = bool(place.at(function).names & _READING)
            return is_read and _ENVIRONMENT.fullmatch(place.at(key).code) is not None
        case _:
            return False


@tabled(False)
def _held(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell it of a flag, by its value, or else by its name; a bare `rank` is true on all but the first."""
    values = values_of(ev, test)
    if values:
        return all(keeps_ranks_out(ev, one, holds) for one in values)
    name = _last_name(test.expression)
    if _PREDICATES.fullmatch(name) is not None:
        return True
    return _RANK_NAMES.fullmatch(name) is not None and not _is_chosen(ev, test)


def values_of(ev: Evaluator, test: Place) -> list[Place]:
    """Return the expressions that a flag may hold, without constants that are only its initial value."""
    match test.expression:
        case ast.Name(id=name):
            bindings = test.scope.bindings.get(name, ())
            reached = reaching(test.file.index, bindings, test.statement, ev.decide(test)).definitions
            found = [(b.value, b.statement) for b in reached if b.kind == "assign" and not b.selector]
        case ast.Attribute(attr=name):
            stores = test.file.index.attribute_stores(name)
            found = [(s.value, s.statement) for s in stores if s.kind == "assign" and not s.selector]
        case _:
            return []
    return [
        Place(test.file, value, at) for value, at in found if value is not None and not isinstance(value, ast.Constant)
    ]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
