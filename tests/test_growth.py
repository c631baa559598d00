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
_TWO = ("trainers", "import-ring", "--sizes", "2,4")
# Programs that ask for the same again and again, at sizes that showed it.
_LOOKED_UP = {
    "breaks-and-continues": "16,24",
    "method-chain": "40,80",
    "mixins": "94,189",
    "nested-comprehensions": "45,90",
    "reexports": "47,94",
    "super-chain": "39,78",
    "throttles": "95,190",
}


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


@pytest.fixture(scope="module")
def run_with_callers(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Return a run that names who calls functions, and the file in which it leaves what it measured."""
    file = tmp_path_factory.mktemp("growth") / "callers.json"
    return _run(*_TWO, "--why", "--json", str(file)), file


def test_two_runs_count_the_same(
    run_with_callers: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    run = _run(*_TWO, "--json", str(tmp_path / "one.json"))
    again, file = run_with_callers

    assert [run.returncode, again.returncode] == [0, 0], run.stderr + again.stderr
    one, other = (
        [size["steps"] for family in json.loads(file.read_text()) for size in family["sizes"]]
        for file in (tmp_path / "one.json", file)
    )
    assert one == other
    assert len(one) == 4
    assert min(one) > 10_000


def test_what_does_not_end_is_stopped_and_fails_the_check() -> None:
    run = _run("trainers", "--quick", "--sizes", "2,4", "--steps", "5000")

    assert run.returncode == 1
    assert "> 5,000 steps" in run.stdout
    assert "1 families, 1 above the limits" in run.stdout


@pytest.fixture(scope="module")
def looked_up() -> list[str]:
    """Return what is printed of families whose programs ask for the same again and again."""
    run = _run("--quick", *(f"{family}:{sizes}" for family, sizes in _LOOKED_UP.items()))

    assert run.returncode in {0, 1}, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize("family", _LOOKED_UP)
def test_what_is_looked_up_is_not_looked_for_by_each_who_asks(family: str, looked_up: list[str]) -> None:
    sizes = _LOOKED_UP[family].replace(",", "-")

    (measured,) = [line for line in looked_up if line.startswith(f"{family} ")]
    assert measured.split()[1:3] == ["n", sizes]
    assert [line for line in looked_up if line.startswith(f"{family}: ")] == []


def test_functions_that_are_called_more_are_named_with_who_calls_them(
    run_with_callers: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    run, _ = run_with_callers

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
