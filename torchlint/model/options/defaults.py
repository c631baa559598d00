"""Options of the command line and of configuration objects: the value of `args.name` by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import NAMESPACES, SETTINGS
from torchlint.model.call_graph.importing import may_be_one_program, may_share_program
from torchlint.model.options.option_calls import default_expression, is_constant
from torchlint.model.options.option_stores import holds_options, stored_option, taken_back, value_of_store
from torchlint.model.options.put_by_parsers import put_by_parser
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Literal, Number, ValueSet, known
from torchlint.syntax.arguments import passed
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.last_names import last_name, root_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# The name of the defaults in yacs: https://github.com/rbgirshick/yacs#usage
_DEFAULTS = "_C"
# The files that may declare one option; a project with more of them has many programs, each with its own.
_MOST_FILES = 6


def option_of(ev: Evaluator, place: Place, name: str, made: Place | None = None) -> ValueSet:
    """Return what an option may be: what the program itself stores there, else its declared default.

    If the call that `made` the object is known, and its file declares the option, other programs are left out; so are
    the objects that others parse their options into.

    Bottom if the project declares no such option. `args`, `opt`, `self.opt`, `cfg.train` count as option objects by
    their names: they are passed so much that following them decides less.
    """
    owner = _owner(place)
    if owner is None or not holds_options(owner):
        return ()
    if made is not None and (put := put_by_parser(ev, place, made, name)):
        return put
    declared = list(_declared_in(made.file, name)) if made is not None else []
    declared = declared or declarations(ev, place.file, name, made.file if made is not None else None)
    files = (declaration.file for declaration in declared)
    stored = stored_option(ev, place, owner, name, files, is_parsed=made is not None)
    left = [declaration for declaration in declared if declaration.file not in stored.settled_by]
    if place.file in stored.settled_by or (declared and not left):
        return stored.values
    defaults = [_left(ev, place, declaration, name) for declaration in left] or _configured(ev, owner, name)
    found = either(stored.values, *defaults)
    if not found or (is_about_device(name) and ev.has_defaults) or _is_fixed(left):
        return found
    return either(found, UNKNOWN)


def _owner(place: Place) -> ast.expr | None:
    """Return the owner of an option: `args` of `args.device`, and of `getattr(args, "device", None)`."""
    match place.expression:
        case ast.Attribute(value=owner) | ast.Call(func=ast.Name(id="getattr"), args=[owner, _, *_]):
            return owner
        case _:
            return None


def _is_fixed(declared: list[Place]) -> bool:
    """Tell whether no command line changes an option, however it is declared."""
    calls = [declaration.expression for declaration in declared]
    return bool(calls) and all(isinstance(call, ast.Call) and is_constant(call) for call in calls)


def declarations(ev: Evaluator, file: ParsedFile, name: str, parsing: ParsedFile | None = None) -> list[Place]:
    """Return the calls that declare an option: in the file itself, else in files that may be of one program with it.

    Where the file is known that is `parsing` the options, others that no program runs with it have other parsers.
    """
    own = list(_declared_in(file, name))
    if own:
        return own
    found: list[Place] = []
    for path in ev.project.paths_declaring(name)[:_MOST_FILES]:
        other = ev.project.parsed(path)
        if other is None or other is file or name not in other.options:
            continue
        if may_be_one_program(ev, other, file) and (parsing is None or may_share_program(ev, other, parsing)):
            found += _declared_in(other, name)
    return found


def _declared_in(file: ParsedFile, name: str) -> Iterator[Place]:
    for call, statement in file.options.get(name, ()):
        yield Place(file, call, statement)


def _default(ev: Evaluator, declaration: Place) -> ValueSet:
    """Return the value of an option that is not passed."""
    call = declaration.expression
    assert isinstance(call, ast.Call)
    if (default := default_expression(call)) is not None:
        return _typed(call, declaration, ev.evaluate(declaration.at(default)))
    for word in call.keywords:
        match word:
            case ast.keyword(arg="action", value=ast.Constant(value="store_true" | "store_false" as action)):
                return known(Literal(action == "store_false"), declaration)
    is_positional = (
        bool(call.args) and isinstance(call.args[0], ast.Constant) and not str(call.args[0].value).startswith("-")
    )
    return UNKNOWN if is_positional else known(Literal(None), declaration)


def _left(ev: Evaluator, place: Place, declaration: Place, name: str) -> ValueSet:
    """Return the default of an option, unless code that checks for CUDA replaces it."""
    default = _default(ev, declaration)
    if any(isinstance(one.value, Literal) and str(one.value.value).startswith("cuda") for one in default):
        return (taken_back(ev, place, name, declaration.file) if ev.has_cuda is False else ()) or default
    return default


def _typed(call: ast.Call, declaration: Place, default: ValueSet) -> ValueSet:
    """Apply `type=int` to a default that is a string, as argparse does."""
    kind = passed(call, "type")
    if not isinstance(kind, ast.Name) or kind.id not in {"int", "float"}:
        return default
    return tuple(
        one
        if not isinstance(one.value, Literal) or not isinstance(one.value.value, str)
        else known(Number(), declaration)[0]
        for one in default
    )


def _configured(ev: Evaluator, owner: ast.expr, name: str) -> list[ValueSet]:
    """Return what configuration code such as `config.train.distributed = False` sets for `….train.distributed`.

    An option without a group is looked up in `_C`, as in yacs, `_C.NUM_GPUS = 1`, and in objects that hold settings.
    """
    if isinstance(owner, ast.Attribute):
        return list(_set_in(ev, owner.attr, name))
    own = _set_in(ev, owner.id, name, is_made=True) if isinstance(owner, ast.Name) and owner.id != _DEFAULTS else ()
    return [*_set_in(ev, _DEFAULTS, name), *own]


def _set_in(ev: Evaluator, group: str, name: str, *, is_made: bool = False) -> Iterator[ValueSet]:
    """Yield what the project sets in an object of a name, or only if the file made that to hold settings."""
    for path in islice(ev.project.library.holding(f"{group}.{name} ="), _MOST_FILES):
        if (file := ev.project.parsed(path)) is None:
            continue
        for store in file.index.attribute_stores(name):
            if isinstance(store.target, (ast.Name, ast.Attribute)) and last_name(store.target) == group:
                place = Place(file, store.target, store.statement)
                if not is_made or _is_made_for_settings(file, _root(store.target)):
                    yield value_of_store(ev, place, store)


def settings(file: ParsedFile) -> Iterator[tuple[str, Place]]:
    """Yield what a file sets in objects that it makes to hold settings, with the name there: `cfg.DEVICE = "cuda"`."""
    is_made = cache(partial(_is_made_for_settings, file))
    for statement in file.index.statements(ast.Assign):
        match statement.targets:
            case [ast.Attribute(value=owner, attr=name)] if is_made(_root(owner)):
                yield name, Place(file, statement.value, statement)


def _root(node: ast.expr) -> str:
    root = root_of(node)
    return root.id if isinstance(root, ast.Name) else ""


def _is_made_for_settings(file: ParsedFile, name: str) -> bool:
    """Tell whether a file makes an object of a name to hold settings: `cfg = CfgNode()`, and `cfg.MODEL` in it."""
    values = (Place(file, b.value, b.statement) for b in file.index.scope.bindings.get(name, ()) if b.value)
    return any(
        isinstance(one.expression, ast.Call) and one.at(one.expression.func).names & (NAMESPACES | SETTINGS)
        for one in values
    )
