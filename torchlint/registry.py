"""Find the installed rules: those of torchlint, and those of third-party packs."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType

from torchlint.errors import UsageError
from torchlint.notices import NOTICES
from torchlint.packs import Pack, installed_packs, loaded
from torchlint.rule import Rule

BUILTIN = "torchlint.rules"
_ALL = "all"
_DETECTORS = "detectors"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TOLD_OF_EACH = ("severity", "confidence", "words")


@cache
def builtin_rules() -> dict[str, type[Rule]]:
    """Return every rule that ships with torchlint, by name, in the order of their names."""
    return {rule.name: rule for rule in sorted(rules_of(BUILTIN), key=lambda rule: rule.name)}


def builtin_rule(name: str) -> type[Rule] | None:
    """Return a rule that ships with torchlint by its name, which is its module's too: no other one is imported."""
    file = name.replace("-", "_")
    package = importlib.import_module(BUILTIN)
    for group in pkgutil.iter_modules(package.__path__):
        folder = importlib.import_module(f"{BUILTIN}.{group.name}")
        if file in (found.name for found in pkgutil.iter_modules(folder.__path__)):
            module = importlib.import_module(f"{folder.__name__}.{file}")
            return next((rule for rule in _rules_in([module]) if rule.name == name), None)
    return None


@cache
def installed_rules() -> dict[str, type[Rule]]:
    """Return every rule there is, by name, in the order of their names.

    Raises `UsageError`, with a line for each pack that cannot be loaded and each name that is taken.
    """
    rules, mistakes = dict(builtin_rules()), list[str]()
    owners = dict.fromkeys(rules, "torchlint")
    for pack in installed_packs():
        try:
            found = pack_rules(pack)
        except UsageError as error:
            mistakes += error.lines
            continue
        mistakes += _clashes(pack, found, rules, owners)
        rules |= {rule.name: rule for rule in found}
        owners |= {rule.name: str(pack) for rule in found}
    if mistakes:
        raise UsageError(*mistakes)
    return dict(sorted(rules.items()))


def renamed_rules() -> dict[str, str]:
    """Return the former names of rules, with the current ones."""
    return {old: name for name, rule in installed_rules().items() for old in rule.formerly}


def detectors() -> tuple[str, ...]:
    """Return the prefixes of the modules that are detectors of a rule."""
    folders = {rule.__module__.rpartition(".")[0] for rule in installed_rules().values()}
    return tuple(f"{folder}.{_DETECTORS}." for folder in sorted(folders))


def pack_rules(pack: Pack) -> list[type[Rule]]:
    """Return the rules of a pack; raises `UsageError` if it cannot be used."""
    found = list(_rules_in(_modules_of(loaded(pack.package, pack), lambda name: loaded(name, pack))))
    mistakes = [f"{pack} cannot be used: {mistake}" for rule in found for mistake in _mistakes(rule)]
    if not found:
        mistakes = [f"{pack} has no rules in `{pack.package}`: fix or uninstall it"]
    if mistakes:
        raise UsageError(*mistakes)
    return found


def rules_of(package: str) -> Iterator[type[Rule]]:
    """Yield the rules that a package defines, in the order of their modules, without common base classes."""
    return _rules_in(_modules_of(importlib.import_module(package), importlib.import_module))


def _rules_in(modules: Iterable[ModuleType]) -> Iterator[type[Rule]]:
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                is_common = value.__name__.startswith("_") or bool(value.__abstractmethods__)
                if not is_common:
                    yield value


def _modules_of(package: ModuleType, load: Callable[[str], ModuleType]) -> Iterator[ModuleType]:
    """Yield a module, and all those below it if it is a package, without the detectors of rules."""
    yield package
    for found in pkgutil.iter_modules(getattr(package, "__path__", ())):
        if found.name != _DETECTORS:
            yield from _modules_of(load(f"{package.__name__}.{found.name}"), load)


def _mistakes(rule: type[Rule]) -> Iterator[str]:
    """Yield why a rule cannot be selected, listed or run."""
    where = f"`{rule.__module__}.{rule.__name__}`"
    if not _NAME.fullmatch(rule.name):
        yield f"{where} would be called `{rule.name}`, which cannot be selected"
    missing = [f"`{name}`" for name in _TOLD_OF_EACH if getattr(rule, name, None) is None]
    if missing:
        yield f"{where} lacks {', '.join(missing)}"
    if not rule.__doc__:
        yield f"{where} has no docstring, which is its page in the manual"


def _clashes(
    pack: Pack, found: list[type[Rule]], rules: Mapping[str, type[Rule]], owners: Mapping[str, str]
) -> Iterator[str]:
    """Yield the names of a pack's rules and groups that are taken already."""
    groups = {rule.group for rule in (*rules.values(), *found)} | {*NOTICES.values(), _ALL}
    for rule in found:
        if rules.get(rule.name, rule) is not rule:
            yield f"{pack} brings a rule `{rule.name}`, and so does {owners[rule.name]}: rename or uninstall one"
        elif rule.name in NOTICES or rule.name in groups:
            yield f"{pack} brings a rule `{rule.name}`, which is the name of something else: rename it"
        elif taken := [old for old in rule.formerly if old in rules or old in NOTICES or old in groups]:
            yield f"{pack} brings a rule that was `{taken[0]}`, which is the name of something else: leave it out"
        elif rule.group in rules or rule.group in NOTICES or rule.group == _ALL:
            yield f"{pack} brings a group `{rule.group}`, which is the name of something else: rename it"
