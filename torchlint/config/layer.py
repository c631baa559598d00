"""The settings of one place, and how nearer places override farther ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from torchlint.config.settings import Config
from torchlint.errors import UsageError
from torchlint.files.skipped import EXCLUDED
from torchlint.finding import Confidence, Severity
from torchlint.presets import DEFAULT
from torchlint.rule import OptionValue

T = TypeVar("T")

Options = Mapping[str, Mapping[str, OptionValue]]
PerFile = tuple[tuple[str, tuple[str, ...]], ...]
_SPECIAL = re.compile(r"([*?\[\\])")


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of a file, or of the command line: None for those it does not set; paths are relative to `root`."""

    root: Path
    file: Path | None = None
    extend: Path | None = None
    preset: str | None = None
    preview: bool | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    extension: Mapping[str, str] = field(default_factory=dict[str, str])
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    per_file_ignores: PerFile = ()
    target_torch: tuple[int, int] | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    min_confidence: Confidence | None = None
    fail_on: Severity | None = None
    baseline: Path | None = None
    output_format: str | None = None
    group: bool | None = None
    site: str | None = None
    cache_dir: Path | None = None
    fix: bool | None = None
    unsafe_fixes: bool | None = None
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] | None = None
    rules: Options = field(default_factory=dict[str, Mapping[str, OptionValue]])
    notes: tuple[str, ...] = ()


def merged(layers: Sequence[Layer], root: Path, file: Path | None = None) -> Config:
    """Return the merged layers, the nearest last: its values and lists override, its tables are added to."""
    base = _base(layers, root)
    preset, select, confidence = _bundle(layers)
    return Config(
        root=root,
        file=file,
        preset=preset,
        preview=_last([layer.preview for layer in layers]) or False,
        select=select,
        extend_select=_joined([layer.extend_select for layer in layers]),
        ignore=_last([layer.ignore for layer in layers]) or (),
        include=_included(layers, base),
        extensions=tuple(sorted({name for layer in layers for name in layer.extension})),
        exclude=tuple(_excluded(layers, base)),
        force_exclude=_last([layer.force_exclude for layer in layers]) or False,
        respect_gitignore=_last([layer.respect_gitignore for layer in layers]) is not False,
        per_file_ignores=tuple(_per_file(layers, base)),
        base=None if base == root else base,
        target_torch=_last([layer.target_torch for layer in layers]),
        severity={name: one for layer in layers for name, one in layer.severity.items()},
        min_confidence=confidence,
        fail_on=_last([layer.fail_on for layer in layers]),
        baseline=_last([layer.baseline for layer in layers]),
        output_format=_last([layer.output_format for layer in layers]),
        group=_last([layer.group for layer in layers]),
        site=_last([layer.site for layer in layers]),
        cache_dir=_last([layer.cache_dir for layer in layers]),
        fix=_last([layer.fix for layer in layers]) or False,
        unsafe_fixes=_last([layer.unsafe_fixes for layer in layers]) or False,
        fixable=_last([layer.fixable for layer in layers]),
        unfixable=_last([layer.unfixable for layer in layers]) or (),
        rule_options=_rule_options(layers),
        notes=_joined([layer.notes for layer in layers]),
    )


def _bundle(layers: Sequence[Layer]) -> tuple[str, tuple[str, ...] | None, Confidence | None]:
    """Return the preset, and the selection and confidence unless a layer as near sets others."""
    preset, select, confidence = DEFAULT, None, None
    for layer in layers:
        if layer.preset is not None:
            preset, select, confidence = layer.preset, None, None
        select = select if layer.select is None else layer.select
        confidence = layer.min_confidence or confidence
    return preset, select, confidence


def _last(values: Sequence[T | None]) -> T | None:
    return next((value for value in reversed(values) if value is not None), None)


def _joined(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for value in values for name in value))


def _base(layers: Sequence[Layer], root: Path) -> Path:
    """Return the common parent of all folders that patterns are relative to."""
    speaking = [layer.root for layer in layers if _has_patterns(layer)]
    try:
        return Path(os.path.commonpath([root, *speaking]))
    except ValueError:
        raise UsageError(f"{speaking[0]} is on another drive than {root}, where its patterns mean nothing") from None


def _has_patterns(layer: Layer) -> bool:
    return bool(layer.include or layer.exclude or layer.extend_exclude or layer.per_file_ignores)


def _included(layers: Sequence[Layer], base: Path) -> tuple[str, ...]:
    layer = next((layer for layer in reversed(layers) if layer.include is not None), None)
    return tuple(_rebased(one, layer.root, base) for one in layer.include or ()) if layer else ()


def _excluded(layers: Sequence[Layer], base: Path) -> Iterator[str]:
    first = max((index for index, layer in enumerate(layers) if layer.exclude is not None), default=-1)
    yield from EXCLUDED if first < 0 else ()
    for index, layer in enumerate(layers):
        own = layer.exclude or () if index == first else ()
        yield from (_rebased(pattern, layer.root, base) for pattern in (*own, *layer.extend_exclude))


def _per_file(layers: Sequence[Layer], base: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for layer in layers:
        yield from ((_rebased(pattern, layer.root, base), names) for pattern, names in layer.per_file_ignores)


def _rule_options(layers: Sequence[Layer]) -> Options:
    rules: dict[str, Mapping[str, OptionValue]] = {}
    for layer in layers:
        rules |= {name: {**rules.get(name, {}), **options} for name, options in layer.rules.items()}
    return rules


def _rebased(pattern: str, folder: Path, above: Path) -> str:
    """Return a pattern for the `.gitignore` of a folder above that matches the same as one in a folder."""
    if folder == above:
        return pattern
    sign = "!" if pattern.startswith("!") else ""
    rest = pattern.removeprefix(sign)
    # Without a slash before its end, a pattern matches names at any depth.
    anywhere = "" if "/" in rest.rstrip("/") else "**/"
    prefix = _SPECIAL.sub(r"\\\1", folder.relative_to(above).as_posix())
    return f"{sign}/{prefix}/{anywhere}{rest.lstrip('/')}"
