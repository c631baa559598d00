"""The base class of rules."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

from torchlint.finding import Cause, Confidence, Finding, Fix, Severity, Span, Step

if TYPE_CHECKING:
    from torchlint.model import SourceFile

OptionValue: TypeAlias = "bool | int | str | tuple[str, ...]"


class Located(Protocol):
    """Anything with a place in a source file."""

    @property
    def path(self) -> str:
        """Return the file's path as torchlint prints it."""

    @property
    def span(self) -> Span:
        """Return its span."""


class Rule(ABC):
    """One mistake that torchlint can find; the docstring of a rule is its page in the manual.

    `name` and `group` are derived from the class and its folder, so that they cannot drift: the class `HardcodedCuda`
    in `rules/device/hardcoded_cuda.py` is `hardcoded-cuda` of the group `device`.
    """

    name: ClassVar[str]
    group: ClassVar[str]
    severity: ClassVar[Severity]
    confidence: ClassVar[Confidence]
    default: ClassVar[bool] = True
    """Whether the rule is on when nothing is selected."""
    preview: ClassVar[bool] = False
    """Whether the rule is a preview: no group, no preset and not `all` runs it then, unless previews are enabled."""
    formerly: ClassVar[tuple[str, ...]] = ()
    """Its former names, which are still valid."""
    words: ClassVar[tuple[str, ...]]
    """A file without any of these words, as bytes, has no finding of the rule, and is not parsed for it."""
    project_words: ClassVar[tuple[str, ...]] = ()
    """Nor has a file of a project in which none of these words occurs, if there are any."""
    option_defaults: ClassVar[Mapping[str, OptionValue]] = {}
    """The rule's options, as `[tool.torchlint.rules.<name>]` may set them, and their defaults."""
    cvss: ClassVar[float] = 0.0
    """The severity as a vulnerability, up to 10.0; 0.0 if it is of no use to an attacker."""

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        cls.group = (cls.__module__.split(".")[-2:-1] or [cls.__module__])[0]

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        self.options: Mapping[str, OptionValue] = {**self.option_defaults, **(options or {})}

    @abstractmethod
    def check(self, file: SourceFile) -> Iterator[Finding]:
        """Yield the findings in a file."""

    def finding(
        self,
        at: Located,
        message: str,
        *,
        trace: Sequence[Step] = (),
        fix: Fix | None = None,
        confidence: Confidence | None = None,
        severity: Severity | None = None,
        cause: Cause | None = None,
    ) -> Finding:
        """Return a finding at a place, with the rule's severity and confidence unless others are given.

        Findings with equal causes are shown as one; their messages begin with code in backticks. What follows from a
        step that is assumed has medium confidence at most, and what has no high confidence is no error.
        """
        severity, confidence = severity or self.severity, confidence or self.confidence
        if confidence is Confidence.HIGH and any(step.is_assumed for step in trace):
            confidence = Confidence.MEDIUM
        if severity is Severity.ERROR and confidence is not Confidence.HIGH:
            severity = Severity.WARNING
        return Finding(
            self.name,
            self.group,
            at.path,
            at.span,
            message,
            severity,
            confidence,
            tuple(trace),
            fix,
            cause=cause,
        )
