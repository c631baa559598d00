"""The result of linting one file, for the output formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.errors import RunError
from torchlint.finding import Finding, Span

if TYPE_CHECKING:
    from torchlint.notebook.layout import Notebook


@dataclass(frozen=True, slots=True)
class RunNote:
    """A note on a run that is neither a finding nor a failure: `rules` were stopped in the file `path`."""

    path: str
    rules: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of linting one file.

    `findings` are in order; `lines` is the file's text by lines if it has findings, for code frames, else empty.
    `suppressed` counts the findings that comments suppress, `baselined` those in the baseline. `notebooks` are those
    that the findings point into, by path. `left_out` says why the file was not linted. `incomplete` names the rules
    that took more steps than any file is allowed: their findings in it are unknown.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    errors: tuple[RunError, ...] = ()
    suppressed: int = 0
    lines: tuple[str, ...] = ()
    notebooks: Mapping[str, Notebook] = field(default_factory=dict, kw_only=True)
    left_out: str = field(default="", kw_only=True)
    baselined: int = field(default=0, kw_only=True)
    incomplete: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def incompleteness(self) -> RunNote | None:
        """Return the note about the rules that did not complete, None if all did."""
        if not self.incomplete:
            return None
        rules = ", ".join(f"`{rule}`" for rule in self.incomplete)
        verb, noun = ("was", "it") if len(self.incomplete) == 1 else ("were", "they")
        stopped = f"{self.path}: {rules} {verb} stopped, as the code takes too many steps to follow"
        return RunNote(self.path, self.incomplete, f"{stopped}; what {noun} would report there is unknown")

    def in_file(self, span: Span) -> Span:
        """Return the span in the file of a span of the text: in a notebook, in the JSON."""
        notebook = self.notebooks.get(self.path)
        return notebook.in_file(span) if notebook else span
