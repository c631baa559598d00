"""The files of a project by the text in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def files_holding(ev: Evaluator, texts: Iterable[str]) -> Iterator[ParsedFile]:
    """Yield the files that can be parsed and hold any of some texts, in the order of their paths."""
    for path in sorted({path for text in texts for path in ev.project.library.holding(text)}):
        if (file := ev.project.parsed(path)) is not None:
            yield file
