"""Write what was found.

A format is one generator, `render(reports, out)`, in a module of its own and one row of `torchlint.formats`. It
takes the reports as they come, yields text as soon as it can, and has a `Tally` count them where it
needs totals. What readers on a code host need, `rank` and `repository` have: the worst findings first,
files named from the repository's root. What is in a notebook has its place in the file, and a `cell`
for who reads it as one. Findings of one cause come as one, with the others as `related`, but for JSON. The tests of the
formats hold every row to what all promise.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from torchlint.errors import UsageError
from torchlint.formats import EACH_PLACE, FORMATS
from torchlint.output.settings import OutputSettings

if TYPE_CHECKING:
    from torchlint.report import FileReport

__all__ = ["FORMATS", "OutputSettings", "Renderer", "render"]

Renderer: TypeAlias = "Callable[[Iterable[FileReport], OutputSettings], Iterator[str]]"


def render(name: str, reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the text of a format, piece by piece as the reports come in, the summary last."""
    if out.started is None:
        out = replace(out, started=out.clock())
    is_grouped = name not in EACH_PLACE if out.group is None else out.group
    return _renderer(name)(_as_shown(reports, is_grouped=is_grouped), out)


def _as_shown(reports: Iterable[FileReport], *, is_grouped: bool) -> Iterator[FileReport]:
    """Yield reports as they are shown; most runs find nothing, and import nothing for it."""
    coming = iter(reports)
    for report in coming:
        if not report.findings and not report.notebooks:
            yield report
            continue
        from torchlint.output.cells import in_files
        from torchlint.output.grouping import grouped

        in_place = in_files(chain((report,), coming))
        yield from grouped(in_place) if is_grouped else in_place


def _renderer(name: str) -> Renderer:
    if name not in FORMATS:
        raise UsageError(f"unknown output format `{name}`; there are {', '.join(FORMATS)}")
    module, _, function = FORMATS[name].partition(":")
    renderer: Renderer = getattr(importlib.import_module(module), function)
    return renderer
