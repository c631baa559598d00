"""Every program of every rule does what it claims, and its twin does not."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the programs are PyTorch programs")

from torchlint.verify.claims import Runs, Waits, judge, parse_claim
from torchlint.verify.fixtures import (
    Fixture,
    Head,
    Pair,
    fixed_pairs_of,
    fixtures_of,
    pairs_of,
    rules_with_fixtures,
)
from torchlint.verify.gpus import present
from torchlint.verify.installed import installed_torch
from torchlint.verify.job import Job, Machine
from torchlint.verify.outcome import Observation
from torchlint.verify.replay import Bench, Verdict, replay
from torchlint.verify.server import OnceEach, Runner

PAIRS = [pair for rule in rules_with_fixtures() for pair in pairs_of(rule)]

MENDED = [pair for rule in rules_with_fixtures() for pair in fixed_pairs_of(rule)]

GOOD = [fixture for rule in rules_with_fixtures() for fixture in fixtures_of(rule, "good")]


@pytest.fixture(scope="module")
def bench(server: Runner) -> Bench:
    torch = installed_torch()
    return Bench(OnceEach(server), torch, present() if torch.cuda else ())


def named(program: Fixture | Pair) -> str:
    bad = program.bad if isinstance(program, Pair) else program
    return f"{bad.rule}/{bad.name}"


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_claim_holds(pair: Pair, bench: Bench) -> None:
    seen = replay(pair, bench)

    if seen.verdict is Verdict.SKIPPED:
        assert re.match(r"needs |unproved: ", seen.words)
        pytest.skip(seen.words)
    assert seen.verdict is not Verdict.REFUTED, seen.words
    assert sabotage_is_refuted(seen.pair, seen.bad, seen.good)


@pytest.mark.parametrize("pair", MENDED, ids=named)
def test_a_mended_program_no_longer_does_what_the_bad_one_does(pair: Pair, bench: Bench) -> None:
    seen = replay(pair, bench)

    if seen.verdict is Verdict.SKIPPED:
        assert re.match(r"needs |unproved: ", seen.words)
        pytest.skip(seen.words)
    assert seen.verdict is not Verdict.REFUTED, seen.words


@pytest.mark.parametrize("pair", [pair for pair in MENDED if pair.bad.head.claimed == "result differs"], ids=named)
def test_a_mended_program_has_the_result_of_the_good_one(pair: Pair, bench: Bench) -> None:
    (twin,) = [good for bad, good in ((one.bad, one.good) for one in PAIRS) if bad == pair.bad]

    mended, good = (run(program, bench.machine(pair.bad.head.gpus or 0), bench) for program in (pair.good, twin))

    assert mended.result == good.result


def sabotage_is_refuted(pair: Pair, bad: Observation | None, good: Observation | None) -> bool:
    """Tell whether the verifier can say no: to the good program in the bad one's place, and to the bad one as both."""
    assert pair.bad.head.claim is not None
    assert bad is not None
    assert good is not None
    # For the good program every line counts as marked at which it waits at all.
    everywhere = set(good.waits_per_step()) if isinstance(pair.bad.head.claim, Waits) else pair.bad.marked()
    twice_good = judge(pair.bad.head.claim, Runs(good, good, everywhere))
    twice_bad = judge(pair.bad.head.claim, Runs(bad, bad, pair.bad.marked()))
    return not twice_good.holds and not twice_bad.holds


def test_the_good_program_in_place_of_the_bad_one_is_refuted(bench: Bench) -> None:
    (pair,) = [pair for pair in pairs_of("item-in-training-loop") if pair.bad.name == "bad"]
    sabotaged = Pair(replace(pair.good, head=pair.bad.head), pair.good)

    assert replay(sabotaged, bench).verdict is Verdict.REFUTED


# Kinds of claim that no rule makes yet: the head, and what the bad and the good program do.
SHOWN = {
    "races": (
        Head(parse_claim("races"), gpus=1, torch=(2, 6)),
        "import torch\ns = torch.cuda.Stream()\nx = torch.ones(8).cuda()\nwith torch.cuda.stream(s): x.mul_(2)\n",
        "import torch\nx = torch.ones(8).cuda()\nx.mul_(2)\n",
    ),
    "warns": (
        Head(parse_claim("warns UserWarning matching scheduler")),
        "import warnings\nwarnings.warn('the scheduler steps first')\n",
        "print('quiet')\n",
    ),
    "result differs": (Head(parse_claim("result differs")), "RESULT = [1, 2]\n", "RESULT = [1, 3]\n"),
    "two machines": (
        Head(parse_claim("raises (RuntimeError|UnpicklingError) matching on a CUDA device"), gpus=1, then=0),
        "import torch\ndef save(path): torch.save(torch.ones(1).cuda(), path)\ndef then(path): torch.load(path)\n",
        "import torch\ndef save(path): torch.save(torch.ones(1).cuda(), path)\n"
        "def then(path): torch.load(path, map_location='cpu')\n",
    ),
}


@pytest.mark.parametrize(("head", "bad", "good"), SHOWN.values(), ids=SHOWN)
def test_a_claim_that_no_rule_makes_yet_can_be_made(
    head: Head, bad: str, good: str, bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text(bad)
    (tmp_path / "good.py").write_text(good)
    one = Fixture("some-rule", "bad", tmp_path / "bad.py", head)
    other = Fixture("some-rule", "good", tmp_path / "good.py", Head())

    seen = replay(Pair(one, other), bench)

    if seen.verdict is Verdict.SKIPPED:
        pytest.skip(seen.words)
    assert seen.verdict is not Verdict.REFUTED, seen.words
    assert replay(Pair(Fixture("some-rule", "bad", other.path, head), other), bench).verdict is Verdict.REFUTED


def run(program: Fixture, machine: Machine, bench: Bench) -> Observation:
    if bench.torch.numbers < program.head.torch:
        pytest.skip(f"needs torch {program.head.torch}")
    for name in program.head.needs:
        pytest.importorskip(name, reason=f"the program needs {name}") if name != "time" else None
    path = program.path.resolve()
    # A claim that needs no GPU has run the same.
    gpus = 0 if machine is Machine.PLAIN else max(program.head.gpus or 1, 1)
    seen = bench.runner.run(Job(str(path), str(path.parent), machine, gpus))
    assert isinstance(seen, Observation), seen.reason
    return seen


@pytest.mark.parametrize("program", GOOD, ids=named)
def test_a_good_program_gives_the_same_on_the_cpu_and_on_pretend_gpus(program: Fixture, bench: Bench) -> None:
    plain = run(program, Machine.PLAIN, bench)
    assert plain.raised is None
    if program.head.gpus == 0:
        pytest.skip("the program is for a machine without GPUs")
    simulated = run(program, Machine.SIMULATED, bench)

    assert simulated.raised is None
    assert not simulated.exited
    # Packages print what they like: versions, and how long they took.
    if not plain.exited and not program.head.needs:
        assert numbers(plain.output) == pytest.approx(numbers(simulated.output), rel=1e-3)


def numbers(output: str) -> list[float]:
    """Return the numbers that a program printed; it prints some."""
    # Python's own tracker of semaphores outlives a program that starts processes, and may warn after it.
    own = "\n".join(line for line in output.splitlines() if "resource_tracker" not in line)
    found = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", own)]
    assert found or re.search(r"\w", output)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="the demo wants a POSIX machine")
def test_the_demo_project_is_as_wrong_as_it_says(bench: Bench) -> None:
    main = PAIRS[0].bad.path.parents[1] / "demo-project" / "train.py"

    seen = bench.runner.run(Job(str(main), str(main.parent), Machine.SIMULATED, 4))

    assert isinstance(seen, Observation)
    assert seen.raised is not None
    assert "(device_ids[0])" in seen.raised.message
