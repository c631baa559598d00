"""Options that a program reads and its parser does not declare.

The parser has to be known as a whole: all of its options are declared by literal names, in files of the program.
"""

from __future__ import annotations

import ast
import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.calls import Call, call_at
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.holding import files_holding
from torchlint.model.options.option_calls import destination
from torchlint.model.options.option_stores import holds_options
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Function, Options
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

PARSER = "argparse.ArgumentParser"
_DECLARING = ("add_argument(", "set_defaults(", "add_subparsers(")
# Code by which a namespace may have other attributes than those that its parser declares.
_NAMESPACE = r"\w*(arg|opt|conf|cfg|param|flag)\w*"
_OPEN = re.compile(
    rf"{_NAMESPACE}\.__dict__\s*(\[[^\]]*\]\s*=[^=]|=[^=]|\.update)|vars\([^)]*\)\s*(\[[^\]]*\]\s*=[^=]|\.update)"
    rf"|(setattr|update|merge\w*)\(\s*(self\.)?{_NAMESPACE}|\bnamespace\s*=|\bparents\s*=|fromfile|set_defaults\(\*\*"
    r"|Namespace\(|configargparse|jsonargparse"
)
# `vars(args).items()`, `args._get_kwargs()`
_OF_NAMESPACES = frozenset({*dir(dict), *dir(Namespace)})


@dataclass(frozen=True, slots=True)
class MissingOption:
    """Where an option is read, and where the options are parsed."""

    read: Place
    name: str
    parsed: Place


def missing_options(ev: Evaluator, file: ParsedFile) -> Iterator[MissingOption]:
    """Yield what a file reads of the options of a program that no parser of it declares, once for each name."""
    known = {*_declared_in(file), *_OF_NAMESPACES}
    programs = dict[str, frozenset[str]]()
    for node, statement in file.index.attributes():
        name = node.attr
        if name in known or not isinstance(node.ctx, ast.Load) or not holds_options(node.value):
            continue
        place = Place(file, node, statement)
        if not (parsed := _parsed(ev, place.at(node.value))):
            continue
        for one in parsed:
            if one.path not in programs:
                programs[one.path] = _declared_with(ev, one.file)
        # Each name once: the first read raises.
        known.add(name)
        # What scripts share may read an option of one of them where only that one leads.
        if any(name in programs[one.path] for one in parsed) or is_in_try(place) or not is_reachable(ev, place):
            continue
        if not _is_put_there(ev, name) and not any(_is_open(ev, one) for one in parsed):
            yield MissingOption(place, name, parsed[0])


def _declared_with(ev: Evaluator, parsing: ParsedFile) -> frozenset[str]:
    """Return the options that the files of a program declare: other scripts have parsers of their own."""
    files = [one for one in files_holding(ev, _DECLARING) if may_share_program(ev, one, parsing)]
    return frozenset(name for one in files for name in _declared_in(one))


def _declared_in(file: ParsedFile) -> Iterator[str]:
    """Yield the options that a file declares, or gives a default."""
    for call, _ in file.index.calls("add_argument"):
        yield destination(call)
    for call, _ in (*file.index.calls("set_defaults"), *file.index.calls("add_subparsers")):
        yield from (word.arg for word in call.keywords if word.arg)
        yield from (str(word.value.value) for word in call.keywords if isinstance(word.value, ast.Constant))


def _parsed(ev: Evaluator, owner: Place) -> list[Call]:
    """Return where argument parsers make what holds options, nowhere if it may be anything else."""
    possible = ev.evaluate(owner)
    made = [call_at(one.origin) if one.origin is not None and one.value == Options() else None for one in possible]
    calls = [one for one in made if one is not None and one.owner is not None and not one.keywords]
    if len(calls) != len(made):
        return []
    parsers = [parser.value for call in calls if call.owner is not None for parser in ev.evaluate(call.owner)]
    return calls if parsers and all(one == Built(PARSER) for one in parsers) else []


def _is_put_there(ev: Evaluator, name: str) -> bool:
    """Tell whether any code may store an attribute of a name, or says the name: `hasattr(args, "amp")`."""
    for file in files_holding(ev, [name]):
        if f'"{name}"' in file.code or f"'{name}'" in file.code or file.index.attribute_stores(name):
            return True
    return False


def _is_open(ev: Evaluator, parsed: Place) -> bool:
    """Tell whether a program may have options that are declared by names which are computed, or by other packages."""
    files = [
        one
        for one in files_holding(ev, ("add_argument", "parse_args", "args"))
        if may_share_program(ev, one, parsed.file)
    ]
    return any(_OPEN.search(one.code) for one in files) or any(_declares_others(ev, one) for one in files)


def _declares_others(ev: Evaluator, file: ParsedFile) -> bool:
    for call, _ in file.index.calls("add_argument"):
        if not call.args or not all(isinstance(one, ast.Constant) for one in call.args):
            return True
    return any(
        _hands_on(ev, Call(file, *one))
        for name in ("ArgumentParser", "add_argument_group")
        for one in file.index.calls(name)
    )


def _hands_on(ev: Evaluator, made: Call) -> bool:
    """Tell whether a parser is passed to what is no function of the project."""
    names = set(made.bound_to)
    for call, statement in made.file.index.expressions(ast.Call):
        given = [*call.args, *(word.value for word in call.keywords)]
        if any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) in names for one in given):
            callees = ev.evaluate(Place(made.file, call.func, statement))
            if not callees or not all(isinstance(one.value, Function) for one in callees):
                return True
    return False
