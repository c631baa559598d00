"""A run in which a rule was stopped says so, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Stdin, Torchlint
from torchlint.engine import linter

_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_STOPPED = (
    "`hardcoded-cuda` was stopped, as the code takes too many steps to follow; what it would report there is unknown"
)


@pytest.fixture(autouse=True)
def no_steps(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a file there, with no step to spare for any rule."""
    (here / "a.py").write_text(_CUDA)
    monkeypatch.setattr(sys, "stdin", Stdin(_CUDA.encode()))
    monkeypatch.setattr(linter, "FOR_A_RULE", 0)


def test_the_summary_claims_no_more_than_was_checked(torchlint: Torchlint) -> None:
    summary = "No findings in 1 file, 0.00 s, but not everything was checked: 1 stopped rule.\n"

    assert torchlint("--select", "hardcoded-cuda") == Ran(0, summary, f"note: a.py: {_STOPPED}\n")


@pytest.mark.parametrize(
    ("arguments", "shown"), [(("--diff", "a.py"), "a.py"), (("--diff", "-"), "-"), (("--fix", "-"), "-")]
)
def test_it_is_told_where_a_diff_or_a_text_is_shown(
    arguments: tuple[str, ...], shown: str, torchlint: Torchlint
) -> None:
    assert f"note: {shown}: {_STOPPED}\n" in torchlint("--select", "hardcoded-cuda", *arguments).err
