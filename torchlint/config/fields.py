"""The keys of a configuration, and the type of each."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from torchlint import __version__
from torchlint.config import decoding
from torchlint.config.entry import Entry
from torchlint.config.layer import Layer
from torchlint.files.display_path import shown
from torchlint.files.existence import is_file
from torchlint.formats import FORMATS
from torchlint.presets import PRESETS

T = TypeVar("T")

FIELDS = (
    "extend",
    "required-version",
    "preset",
    "preview",
    "select",
    "extend-select",
    "ignore",
    "include",
    "extension",
    "exclude",
    "extend-exclude",
    "force-exclude",
    "respect-gitignore",
    "per-file-ignores",
    "target-torch",
    "severity",
    "min-confidence",
    "fail-on",
    "baseline",
    "output-format",
    "group",
    "site",
    "cache-dir",
    "fix",
    "unsafe-fixes",
    "fixable",
    "unfixable",
    "rules",
)
_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|<|>|)\s*(\d{1,6}(?:\.\d{1,6})*)\s*")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def decode(table: Entry, root: Path, file: Path | None = None, extending: Sequence[Path] = ()) -> Layer:
    """Return the settings of a table; each of its mistakes is noted, and its value left out.

    `extending` are the files that led to this one, the first one first.
    """
    fields = dict(table.fields(FIELDS))

    def field(name: str, decoder: Callable[[Entry], T], default: T) -> T:
        return decoder(fields[name]) if name in fields else default

    if "required-version" in fields:
        _require(fields["required-version"])
    return Layer(
        root=root,
        file=file,
        extend=field("extend", lambda entry: _extended(entry, root, file, extending), None),
        preset=field("preset", lambda entry: decoding.one_of(entry, tuple(PRESETS)), None),
        preview=field("preview", decoding.boolean, None),
        select=field("select", decoding.names, None),
        extend_select=field("extend-select", decoding.names, ()),
        ignore=field("ignore", decoding.names, None),
        include=field("include", decoding.patterns, None),
        extension=field("extension", decoding.language_by_extension, {}),
        exclude=field("exclude", decoding.patterns, None),
        extend_exclude=field("extend-exclude", decoding.patterns, ()),
        force_exclude=field("force-exclude", decoding.boolean, None),
        respect_gitignore=field("respect-gitignore", decoding.boolean, None),
        per_file_ignores=field("per-file-ignores", decoding.names_by_pattern, ()),
        target_torch=field("target-torch", decoding.version, None),
        severity=field("severity", decoding.severity_by_name, {}),
        min_confidence=field("min-confidence", decoding.confidence, None),
        fail_on=field("fail-on", decoding.severity, None),
        baseline=field("baseline", lambda entry: _file(entry, root), None),
        output_format=field("output-format", lambda entry: decoding.one_of(entry, tuple(FORMATS)), None),
        group=field("group", decoding.boolean, None),
        site=field("site", decoding.address, None),
        cache_dir=field("cache-dir", lambda entry: _file(entry, root), None),
        fix=field("fix", decoding.boolean, None),
        unsafe_fixes=field("unsafe-fixes", decoding.boolean, None),
        fixable=field("fixable", decoding.names, None),
        unfixable=field("unfixable", decoding.names, None),
        rules=field("rules", decoding.options_by_rule, {}),
    )


def _require(entry: Entry) -> None:
    """Raise if another version of torchlint is required."""
    wanted = decoding.string(entry)
    if wanted is not None and (words := objection(wanted)):
        entry.refuse(f"`{entry.name}` {words}")


def _file(entry: Entry, root: Path) -> Path | None:
    name = decoding.string(entry)
    return None if name is None else root / name


def _extended(entry: Entry, root: Path, file: Path | None, extending: Sequence[Path]) -> Path | None:
    """Return the file that another one extends; it must exist, and must not extend that one itself."""
    if (name := decoding.string(entry)) is None:
        return None
    if file is None:
        entry.refuse(f"`{entry.name}` is for files", of_key=True)
        return None
    base = Path(os.path.abspath(root / name))  # noqa: PTH100 -- `resolve` would follow links
    if not is_file(base):
        entry.refuse(f"`{entry.name}` leads to {shown(base)}, which is no file")
        return None
    way = [*extending, file]
    met = next((index for index, one in enumerate(way) if one.resolve() == base.resolve()), None)
    if met is not None:
        cycle = " extends ".join(shown(one) for one in (*way[met:], way[met]))
        entry.refuse(f"`{entry.name}` goes in a circle: {cycle}")
        return None
    return base


def objection(wanted: str, running: str = __version__) -> str:
    """Return why a version does not match `>=0.1,<2` or `0.1`; empty if it does."""
    clauses = [_CLAUSE.fullmatch(clause) for clause in wanted.split(",")]
    if not all(clauses):
        return f'must be versions of torchlint such as ">=0.1", got "{wanted}"'
    if all(_holds(clause[1], clause[2], running) for clause in clauses if clause):
        return ""
    return f"asks for torchlint {wanted}, and this is {running}"


def _holds(relation: str, wanted: str, running: str) -> bool:
    release = _RELEASE.match(running)
    own, other = _padded(release[0] if release else "0"), _padded(wanted)
    match relation:
        case ">=":
            return own >= other
        case "<=":
            return own <= other
        case ">":
            return own > other
        case "<":
            return own < other
        case "!=":
            return own != other
        case _:
            return own == other


def _padded(version: str) -> list[int]:
    parts = [int(part) for part in version.split(".")]
    return parts + [0] * (4 - len(parts))
