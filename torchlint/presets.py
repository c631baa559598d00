"""Presets: which rules run, and the least confidence of a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchlint.levels import Confidence


@dataclass(frozen=True, slots=True)
class Preset:
    """Names of rules and groups, None for the rules that are on by default, and the least confidence."""

    select: tuple[str, ...] | None
    confidence: Confidence


DEFAULT = "default"
PRESETS: Mapping[str, Preset] = {
    DEFAULT: Preset(None, Confidence.MEDIUM),
    "strict": Preset(("all",), Confidence.MEDIUM),
    "all": Preset(("all",), Confidence.LOW),
}
