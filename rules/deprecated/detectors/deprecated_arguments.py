"""Arguments that PyTorch and torchvision take, and warn of: `size_average=False`, `pretrained=True`, `x.add_(2, y)`.

`size_average` and `reduce` are defined in torch/nn/_reduction.py, and `pretrained` in torchvision/models/_utils.py, of
torch 2.13 and torchvision 0.29.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torchlint.edits.call_changes import argument, named, with_arguments
from torchlint.finding import Edit
from torchlint.model.calls import Argument, Call, calls_of, method_calls_of
from torchlint.model.values.value_sets import Function
from torchlint.pytorch.losses import OLD_MEAN, OLD_REDUCTION
from torchlint.pytorch.old_overloads import FUNCTIONS, METHODS

from .full_names import full_name
from .prepared import is_prepared

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_BUILDERS = "torchvision.models"
# The torch that came with torchvision 0.13.
_WEIGHTS_SINCE = (1, 12)
_WEIGHTS = {"pretrained": "weights", "pretrained_backbone": "weights_backbone"}
# In these, `pretrained=True` means other weights.
_OTHER_WEIGHTS = re.compile(
    r"torchvision\.models\.(detection|segmentation|video|optical_flow|quantization|get_model)\b"
)


@dataclass(frozen=True, slots=True)
class DeprecatedArgument(Argument):
    """An argument that is deprecated, and its replacement."""

    since: str
    instead: str
    """The text for a message."""
    edits: tuple[Edit, ...]
    name: str = ""
    """The parameter that takes it by position."""


def deprecated_arguments(ev: Evaluator, file: ParsedFile) -> Iterator[DeprecatedArgument]:
    """Yield the deprecated arguments of a file that does not handle a release without them."""
    target = file.oldest_torch
    found = [*_of_losses(file), *_renamed_means(file), *_of_overloads(file)]
    if target is None or target >= _WEIGHTS_SINCE:
        found += _of_builders(ev, file)
    for one in found:
        if not is_prepared(ev, one.call):
            yield one


def _of_losses(file: ParsedFile) -> Iterator[DeprecatedArgument]:
    for call in calls_of(file, frozenset(OLD_REDUCTION)):
        loss = next(iter(call.callee.names & OLD_REDUCTION.keys()))
        passed = [
            call.argument("size_average", OLD_REDUCTION[loss][0]),
            call.argument("reduce", OLD_REDUCTION[loss][1]),
        ]
        given = [one for one in passed if one is not None and one.literals != (None,)]
        if not given or not any(_is_never_none(one) for one in given):
            continue
        reduction = _reduction(*passed)
        text = f'`reduction="{reduction}"`' if reduction else "`reduction`"
        name = "size_average" if given[0] is passed[0] else "reduce"
        edits = _reduction_edits(call, passed, reduction)
        yield DeprecatedArgument(call, given[0], "PyTorch 0.4.1", text, edits, name)


def _renamed_means(file: ParsedFile) -> Iterator[DeprecatedArgument]:
    """Yield the reductions of losses by their name of PyTorch 0.4.1."""
    for call in calls_of(file, frozenset(OLD_REDUCTION)):
        value = call.keywords.get("reduction")
        if value is not None and value.literals == (OLD_MEAN,):
            edits = (value.edits.replace(f"{file.quote}mean{file.quote}"),) if value.is_constant else ()
            yield DeprecatedArgument(call, value, "PyTorch 1.0", '`reduction="mean"`', edits)


def _is_never_none(value: Place) -> bool:
    """Tell whether an argument is surely passed: a custom loss may pass on a default of None."""
    return value.literals is not None and None not in value.literals


def _reduction(size_average: Place | None, reduce: Place | None) -> str:
    """Return the reduction that two constants, or none, mean; empty if one is computed."""
    if any(one is not None and not (one.is_constant and one.literals is not None) for one in (size_average, reduce)):
        return ""
    is_averaged, is_reduced = (one is None or one.literals in {(True,), (None,)} for one in (size_average, reduce))
    if not is_reduced:
        return "none"
    return "mean" if is_averaged else "sum"


def _reduction_edits(call: Call, passed: list[Place | None], reduction: str) -> tuple[Edit, ...]:
    """Return the edits that replace the arguments by `reduction`; none if another one follows them."""
    old = sorted((one for one in passed if one is not None), key=lambda one: one.span)
    positional = [one.expression for one in call.arguments]
    arguments = [one.expression for one in sorted((*call.arguments, *call.keywords.values()), key=lambda one: one.span)]
    is_last = all(one.expression not in positional or positional.index(one.expression) + len(old) >= len(positional)
                  for one in old)  # fmt: skip
    if not reduction or call.is_open or "reduction" in call.keywords or not is_last:
        return ()
    at = [arguments.index(one.expression) for one in old]
    text = f"{call.file.quote}{reduction}{call.file.quote}"
    return call.edits.change(partial(_with_reduction, at=at, text=text))


def _with_reduction(call: cst.CSTNode, at: list[int], text: str) -> cst.CSTNode:
    """Pass `reduction` in place of the first of some arguments, and none of the others."""
    import libcst as cst

    assert isinstance(call, cst.Call)
    first = argument(text, "reduction").with_changes(comma=call.args[at[0]].comma)
    rest = [first if i == at[0] else one for i, one in enumerate(call.args) if i not in at[1:]]
    return with_arguments(call, rest)


def _of_overloads(file: ParsedFile) -> Iterator[DeprecatedArgument]:
    """Yield the scalars that are passed before or between the tensors, to overloads that warn."""
    for call in calls_of(file, frozenset(name for name, _ in FUNCTIONS)):
        for name in call.callee.names:
            if keywords := FUNCTIONS.get((name, len(call.arguments))):
                yield from _scalars(call, keywords)
    for call in method_calls_of(file, frozenset(name for name, _ in METHODS)):
        keywords = METHODS.get((call.method, len(call.arguments)))
        if keywords and call.owner is not None and not call.callee.names and not _is_of_the_project(call.callee):
            yield from _scalars(call, keywords)


def _is_of_the_project(callee: Place) -> bool:
    return any(isinstance(one.value, Function) for one in callee.possibilities())


def _scalars(call: Call, keywords: dict[int, str]) -> Iterator[DeprecatedArgument]:
    if call.is_open:
        return
    names = " and ".join(f"`{name}`" for name in keywords.values())
    is_free = not call.keywords.keys() & {"alpha", "beta", "value"}
    edits = call.edits.change(partial(_with_keywords, keywords=keywords)) if is_free else ()
    first = call.arguments[min(keywords)]
    yield DeprecatedArgument(call, first, "PyTorch 1.5", f"{names} by keyword, after the tensors", edits)


def _with_keywords(call: cst.CSTNode, keywords: dict[int, str]) -> cst.CSTNode:
    """Pass the arguments at some positions by their keywords, after all that keep theirs."""
    import libcst as cst

    assert isinstance(call, cst.Call)
    positional = sum(one.keyword is None for one in call.args)
    kept = [one for i, one in enumerate(call.args[:positional]) if i not in keywords]
    moved = [named(call.args[i], name) for i, name in keywords.items()]
    slots = [*kept, *moved]
    placed = [one.with_changes(comma=at.comma) for one, at in zip(slots, call.args, strict=False)]
    return with_arguments(call, [*placed, *call.args[positional:]])


def _of_builders(ev: Evaluator, file: ParsedFile) -> Iterator[DeprecatedArgument]:
    """Yield the arguments of torchvision's builders that request weights."""
    for node, statement in file.index.expressions(ast.Call):
        call = Call(file, node, statement)
        for old, value in _weights_of(call):
            if name := _builder(ev, call):
                yield _of_builder(call, name, old, value)


def _weights_of(call: Call) -> Iterator[tuple[str, Place]]:
    """Yield the arguments of a call that may request weights: `pretrained=…`, or `True` at the first position."""
    if call.arguments and isinstance(getattr(call.arguments[0].expression, "value", None), bool):
        yield "pretrained", call.arguments[0]
    yield from ((word, value) for word, value in call.keywords.items() if word in _WEIGHTS)


def _of_builder(call: Call, name: str, old: str, value: Place) -> DeprecatedArgument:
    new, quote = _WEIGHTS[old], call.file.quote
    weights = None if old == "pretrained_backbone" or _OTHER_WEIGHTS.match(name) else f"{quote}IMAGENET1K_V1{quote}"
    if value.is_constant and value.literals == (False,):
        text = "None"
    elif value.is_constant and value.literals == (True,):
        text = weights or ""
    else:
        text = f"{weights} if {value.text} else None" if weights and value.is_name else ""
    # Nothing that is passed by position may follow a keyword.
    is_followed = any(one.expression is value.expression for one in call.arguments) and len(call.arguments) > 1
    is_free = new not in call.keywords and not is_followed
    edits = (Edit(call.span_of_argument(value), f"{new}={text}"),) if text and is_free else ()
    said = f"`{new}={text}`" if edits and value.is_constant else f"`{new}`"
    return DeprecatedArgument(call, value, "torchvision 0.13", said, edits)


def _builder(ev: Evaluator, call: Call) -> str:
    """Return the full name of the builder of torchvision that a call surely runs, empty for anything else."""
    match call.callee.expression:
        case ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__")):
            return f"{_BUILDERS}." if full_name(ev, call.at(owner)) == _BUILDERS else ""
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, _]):
            return f"{_BUILDERS}." if full_name(ev, call.at(owner)) == _BUILDERS else ""
        case _:
            name = full_name(ev, call.callee)
            return name if name.startswith(f"{_BUILDERS}.") and name.rpartition(".")[2].islower() else ""
