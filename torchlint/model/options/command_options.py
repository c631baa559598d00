"""Options of a function that is a command: `@click.option("--device", default="cuda")`, `x=typer.Option("cuda")`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Imported, Literal, Number, Text, ValueSet, known
from torchlint.syntax.arguments import has_open_keywords, passed
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Parameter, Scope

# https://click.palletsprojects.com/en/stable/options/
_DECORATORS = frozenset({
    "click.option", "click.argument", "rich_click.option", "rich_click.argument",
    "click_option_group.optgroup.option",
})  # fmt: skip
# https://typer.tiangolo.com/tutorial/options/
_DEFAULTS = frozenset({"typer.Option", "typer.Argument"})
# With these the option is prompted for, is one of several switches, or has several values.
_OTHERWISE = frozenset(
    {"required", "prompt", "flag_value", "multiple", "nargs", "count", "callback", "default_factory"}
)
# These make a command of a function, whose parameters are then options that keep their defaults.
# https://google.github.io/python-fire/guide/
_COMMANDS = frozenset({
    "fire.Fire", "fire.core.Fire", "typer.run", "typer.main.run", "tyro.cli", "jsonargparse.CLI",
    "jsonargparse.auto_cli", "defopt.run",
})  # fmt: skip
_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in _DECORATORS | _DEFAULTS)


def makes_command(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call makes a command of its argument, a function."""
    assert isinstance(call.expression, ast.Call)
    called = (one.value for one in ev.evaluate(call.at(call.expression.func)))
    return any(isinstance(value, Imported) and value.name in _COMMANDS for value in called)


def declared_for(ev: Evaluator, file: ParsedFile, function: Scope, parameter: Parameter) -> ValueSet | None:
    """Return the value of the option of a parameter if the user does not pass it, None if there is no option."""
    if (option := _option(ev, file, function, parameter)) is None:
        return None
    default = _default(ev, option)
    is_left = is_about_device(parameter.name) and ev.has_defaults
    return default if is_left else either(default, UNKNOWN)


def default_for(ev: Evaluator, file: ParsedFile, function: Scope, parameter: Parameter) -> ast.expr | None:
    """Return the expression that is the default of the option of a parameter."""
    option = _option(ev, file, function, parameter)
    return _default_expression(option.expression) if option is not None else None


def _option(ev: Evaluator, file: ParsedFile, function: Scope, parameter: Parameter) -> Place | None:
    """Return the call that declares the option which fills a parameter."""
    node = function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    default = parameter.default
    if isinstance(default, ast.Call) and _is_one_of(ev, Place(file, default, node), _DEFAULTS):
        return Place(file, default, node)
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _destination(decorator) == parameter.name:
            place = Place(file, decorator, node)
            if _is_one_of(ev, place, _DECORATORS):
                return place
    return None


def _is_one_of(ev: Evaluator, place: Place, names: frozenset[str]) -> bool:
    call = place.expression
    assert isinstance(call, ast.Call)
    if callee_name(call) not in _LAST_NAMES:
        return False
    callees = (one.value for one in ev.evaluate(place.at(call.func)))
    return any(isinstance(callee, Imported) and callee.name in names for callee in callees)


def _destination(call: ast.Call) -> str:
    """Return the parameter that an option fills: the name without dashes, if any, else the one with most.

    https://click.palletsprojects.com/en/stable/parameters/#parameter-names
    """
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    plain = next((name for name in names if name.isidentifier()), None)
    if plain is not None or not names:
        return (plain or "") if callee_name(call) == "option" else (plain or "").lower()
    firsts = [name.partition("/")[0].strip() for name in names]
    longest = next((name for name in firsts if name.startswith("--")), firsts[0])
    return longest.lstrip("-").replace("-", "_").lower()


def _default(ev: Evaluator, option: Place) -> ValueSet:
    """Return the value of an option that is not passed, unknown if it is required or if more than that decides."""
    call = option.expression
    assert isinstance(call, ast.Call)
    if has_open_keywords(call) or any(word.arg in _OTHERWISE for word in call.keywords):
        return UNKNOWN
    if (default := _default_expression(call)) is not None:
        return _plain(ev, option.at(default))
    if callee_name(call) != "option":
        return UNKNOWN
    return known(Literal(False if _is_flag(call) else None), option)


def _default_expression(call: ast.expr) -> ast.expr | None:
    is_of_typer = isinstance(call, ast.Call) and callee_name(call) in {"Option", "Argument"}
    return passed(call, "default", 0 if is_of_typer else None)


def _plain(ev: Evaluator, default: Place) -> ValueSet:
    """Return a default that is neither `...` nor a function."""
    found = ev.evaluate(default)
    return found if all(isinstance(one.value, (Literal, Number, Text)) for one in found) else UNKNOWN


def _is_flag(call: ast.Call) -> bool:
    """Tell whether an option is a flag: `is_flag=True`, `"--gpu/--no-gpu"`."""
    match passed(call, "is_flag"):
        case ast.Constant(value=said):
            return bool(said)
        case _:
            return any(isinstance(a, ast.Constant) and "/" in str(a.value) for a in call.args)
