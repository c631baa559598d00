"""The names of torchlint's own findings, without a rule."""

from __future__ import annotations

from collections.abc import Mapping

UNREADABLE_SOURCE = "unreadable-source"
UNUSED_IGNORE = "unused-ignore"
RENAMED_IGNORE = "renamed-ignore"
GROUP = "source"

# Each name and its group: they can be selected, ignored and suppressed like rules.
NOTICES: Mapping[str, str] = {UNREADABLE_SOURCE: GROUP, UNUSED_IGNORE: GROUP, RENAMED_IGNORE: GROUP}
