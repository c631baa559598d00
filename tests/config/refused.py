"""What a configuration is refused with."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.config import load_config
from torchlint.errors import UsageError


def refusal(text: str, name: str = "pyproject.toml") -> str:
    """Return the message about a configuration in the working directory."""
    Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        load_config(Path(name))
    return str(refused.value)
