"""What came out of linting one file, as the output formats take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.finding import Finding, Span

if TYPE_CHECKING:
    from torchlint.notebook.layout import Notebook


@dataclass(frozen=True, slots=True)
class RunError:
    """Something that went wrong and is no finding: `kind` is a word such as `rule-failed`, `path` may be empty."""

    path: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What torchlint has to say about one file.

    `findings` are in order; `lines` is the file's text by lines where it has findings, for code frames, else empty.
    `suppressed` counts what comments keep out of the findings, `baselined` what a baseline does. `notebooks` are those
    that the findings point into, by path. `left_out` says why the file was not looked at.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    errors: tuple[RunError, ...] = ()
    suppressed: int = 0
    lines: tuple[str, ...] = ()
    notebooks: Mapping[str, Notebook] = field(default_factory=dict, kw_only=True)
    left_out: str = field(default="", kw_only=True)
    baselined: int = field(default=0, kw_only=True)

    def in_file(self, span: Span) -> Span:
        """Return where a place of the text stands in the file: in a notebook, in the JSON."""
        notebook = self.notebooks.get(self.path)
        return notebook.in_file(span) if notebook else span
