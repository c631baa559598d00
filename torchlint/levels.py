"""How serious a finding is, and how sure."""

from __future__ import annotations

from enum import Enum


class Severity(Enum):
    """How serious a finding is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Confidence(Enum):
    """How sure the rule is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
