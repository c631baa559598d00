"""Which files are linted by which rules: each by the configuration nearest to it, in the project that it is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from torchlint.cli.options import LintOptions
from torchlint.config import Config, default_config, find_config, inferred_target, load_config
from torchlint.discovery import Target, discover
from torchlint.engine import Job, project_root
from torchlint.errors import UsageError
from torchlint.rule import Rule
from torchlint.selection import chosen_rules
