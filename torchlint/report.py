"""What came out of linting one file, as the output formats take it."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchlint.finding import Finding


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
    `suppressed` counts what comments keep out of the findings, `baselined` what a baseline does.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    errors: tuple[RunError, ...] = ()
    suppressed: int = 0
    lines: tuple[str, ...] = ()
    baselined: int = field(default=0, kw_only=True)
