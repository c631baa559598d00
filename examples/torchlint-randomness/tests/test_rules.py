"""The rules of the pack are held to their programs, line for line."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from torchlint.registry import installed_rules
from torchlint.testing import Case, cases, unkept

PACKAGE = "torchlint_randomness.rules"


@pytest.mark.parametrize("case", cases(PACKAGE), ids=str)
def test_a_rule_reports_the_marked_lines_and_no_others(case: Case) -> None:
    assert case.reported() == case.marked()


def test_the_pack_keeps_the_conventions() -> None:
    assert unkept(PACKAGE) == []


def test_torchlint_finds_the_pack() -> None:
    assert "seed-in-training-loop" in installed_rules()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="proving takes torch")
def test_what_the_rule_claims_is_so() -> None:
    command = [sys.executable, "-m", "torchlint", "verify", "seed-in-training-loop"]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[1].startswith("PROVED     seed-in-training-loop")
