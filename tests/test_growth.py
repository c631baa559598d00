"""The programs that show how linting grows are Python, as large as they say, and counted alike each time."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.growth.counting import Counted
from benchmarks.growth.families import FAMILIES, Family
from benchmarks.growth.family import size_of
from benchmarks.growth.growing import Growth, Measured
from benchmarks.growth.limits import WORDS, above, is_far_below

_CHECKOUT = Path(__file__).parents[1]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.growth.run", *arguments]
    return subprocess.run(command, cwd=_CHECKOUT, capture_output=True, text=True, check=False)


def _grown(
    *steps: int, startup: int = 0, megabytes: float = 0, failed: tuple[str, ...] = (), stopped: str = ""
) -> Growth:
    """Return what was measured of programs of 100, 200 … words."""
    measured = [Measured(n, 100 * n, Counted(one, 0, 0)) for n, one in enumerate(steps, 1)]
    last = Measured(len(steps), 100 * len(steps), Counted(steps[-1], 0, megabytes, 0, failed, stopped))
    return Growth(FAMILIES["aliases"], Measured(0, 0, Counted(startup, 0, 0)), (*measured[:-1], last))


def test_there_are_sixty_families_and_more() -> None:
    assert len(FAMILIES) >= 60


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_programs_are_python_and_as_large_as_n(family: Family) -> None:
    largest = min(family.most or 100, 100)
    one, half, whole = (family.make(n) for n in (1, largest // 2, largest))

    for text in (*one.values(), *half.values(), *whole.values()):
        ast.parse(text)
    assert family.says.endswith(".")
    assert 1.6 < (size_of(whole) - size_of(one)) / (size_of(half) - size_of(one)) < 2.5


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_program_of_a_size_is_the_largest_that_fits(family: Family) -> None:
    n = family.sized(1_000)

    assert size_of(family.make(n)) <= 1_000
    assert n == family.most or size_of(family.make(n + 1)) > 1_000


def test_projects_are_of_n_files() -> None:
    of_one_file = {"imports-that-may-fail", "many-imports"}

    for name, family in FAMILIES.items():
        files = family.make(7)
        assert len(files) >= 7 if family.kind == "imports" and name not in of_one_file else len(files) == 1


def test_two_runs_count_the_same(tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "other.json"]

    runs = [_run("trainers", "import-ring", "--sizes", "2,4", "--json", str(file)) for file in files]

    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    one, other = (
        [size["steps"] for family in json.loads(file.read_text()) for size in family["sizes"]] for file in files
    )
    assert one == other
    assert len(one) == 4
    assert min(one) > 10_000


def test_what_does_not_end_is_stopped_and_fails_the_check() -> None:
    run = _run("trainers", "--quick", "--sizes", "2,4", "--steps", "5000")

    assert run.returncode == 1
    assert "> 5,000 steps" in run.stdout
    assert "1 families, 1 above the limits" in run.stdout


@pytest.mark.parametrize(
    ("family", "sizes"),
    [
        ("breaks-and-continues", "16,24"),
        ("method-chain", "40,80"),
        ("mixins", "94,189"),
        ("nested-comprehensions", "45,90"),
        ("reexports", "47,94"),
        ("super-chain", "39,78"),
        ("throttles", "95,190"),
    ],
)
def test_what_is_looked_up_is_not_looked_for_by_each_who_asks(family: str, sizes: str) -> None:
    run = _run(family, "--quick", "--sizes", sizes)

    assert run.returncode == 0, run.stdout


def test_functions_that_are_called_more_are_named_with_who_calls_them() -> None:
    run = _run("trainers", "--why", "--sizes", "2,4")

    assert "torchlint/model/" in run.stdout
    assert "  by torchlint/model/" in run.stdout


def test_a_family_that_nobody_has_is_refused() -> None:
    run = _run("trainer")

    assert run.returncode == 2
    assert "no family or kind is called trainer" in run.stderr


@pytest.mark.parametrize(
    ("grown", "reasons"),
    [
        (_grown(1_000, 2_000), 0),
        (_grown(1_000, 2_800), 0),
        (_grown(1_000, 2_900), 1),
        (_grown(1_000, 1_000), 0),
        (_grown(1_600, 2_900, startup=1_500), 0),
        (_grown(1_600, 3_100, startup=1_500), 1),
        (_grown(3_000_000, 5_000_000), 1),
        (_grown(5_000_000, 9_000_000), 2),
        (_grown(1_000, 2_000, megabytes=400), 1),
        (_grown(1_000, 2_000, stopped="> 2,000 steps"), 1),
        (_grown(1_000, 2_000, failed=("rule `one` failed",)), 1),
    ],
)
def test_what_grows_too_fast_or_takes_too_much_is_above_the_limits(grown: Growth, reasons: int) -> None:
    assert len(list(above(grown))) == reasons


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((20_000, 40_000), True),
        ((20_000, 42_000), True),
        ((20_000, 44_000), False),
        ((700_000, 1_400_000), True),
        ((750_000, 1_500_000), False),
        ((20_000,), False),
    ],
)
def test_what_grows_like_the_text_far_below_the_limits_is_linted_up_to_half(
    steps: tuple[int, ...], expected: bool
) -> None:
    grown = _grown(*steps)
    half = [replace(one, words=WORDS // 4 * one.n) for one in grown.measured]

    assert is_far_below(replace(grown, measured=tuple(half))) is expected
    assert not is_far_below(grown)
    assert not is_far_below(replace(grown, measured=(half[-1], half[-1])))
