from __future__ import annotations

import pytest

from torchlint.pytorch.waits import Kind
from torchlint.verify import outcome
from torchlint.verify.claims import Judgement, Runs, UnknownClaimError, judge, parse_claim
from torchlint.verify.outcome import Observation, Raised
from torchlint.verify.sites import Site
from torchlint.verify.waitlog import Moment, Wait, Waited

CALM = Observation(steps=10, seconds=1.0)


def raising(kind: str, message: str) -> Observation:
    return Observation(steps=10, seconds=1.0, raised=Raised(kind, message, 7))


def waiting(line: int, times: int) -> Observation:
    wait = Wait(Site("bad.py", line, line, 0, 9, "main", ""), Kind.SCALAR, "item")
    return Observation(steps=10, seconds=1.0, waits=(Waited(wait, times, frozenset(range(times))),))


def judged(claim: str, bad: Observation, good: Observation = CALM, marked: int = 7) -> Judgement:
    return judge(parse_claim(claim), Runs(bad, good, {("bad.py", marked)}))


@pytest.mark.parametrize(
    ("claim", "bad", "good"),
    [
        ("raises RuntimeError matching no GPU", raising("RuntimeError", "there is no GPU"), CALM),
        ("raises (A|B) matching x.y", raising("B", "x\ny"), CALM),
        ("races", raising("CUDASanitizerErrors", "detected 1 errors"), CALM),
        ("waits >= 1 per step", waiting(7, times=10), waiting(9, times=1)),
        ("warns UserWarning matching slow", Observation(9, 1.0, warned=(("UserWarning", "it is slow"),)), CALM),
        ("result differs", Observation(9, 1.0, result="1"), Observation(9, 1.0, result="2")),
        ("memory grows", Observation(99, 1.0, kept=5000.0), Observation(99, 1.0, kept=12.0)),
        ("slower", Observation(99, 1.0, rates=(10.0, 12.0)), Observation(99, 1.0, rates=(13.0, 20.0))),
    ],
)
def test_a_claim_holds_where_the_bad_program_does_it_and_the_good_one_does_not(
    claim: str, bad: Observation, good: Observation
) -> None:
    assert judged(claim, bad, good).holds
    assert not judged(claim, good, good).holds
    assert not judged(claim, bad, bad).holds


@pytest.mark.parametrize(
    ("claim", "bad", "good", "words"),
    [
        ("raises ValueError matching x", raising("TypeError", "x"), CALM, "TypeError: x"),
        ("raises TypeError matching x", raising("TypeError", "y"), CALM, "TypeError: y"),
        ("raises TypeError matching x", CALM, CALM, "nothing was raised"),
        ("races", raising("RuntimeError", "x"), CALM, "RuntimeError: x"),
        ("waits >= 1 per step", waiting(8, times=10), CALM, "0.00 waits per step at the marked line"),
        ("waits >= 1 per step", waiting(7, times=9), CALM, "0.90 waits per step"),
        ("waits >= 1 per step", waiting(7, times=10), waiting(3, times=10), "its twin at most 1.00"),
        ("waits >= 1 per step", Observation(0, 1.0), CALM, "no optimizer made a step"),
        ("waits >= 1 per step", raising("ValueError", "x"), CALM, "the bad program raises ValueError: x"),
        ("waits >= 1 per step", waiting(7, times=10), raising("ValueError", "x"), "the good program raises ValueError"),
        ("result differs", CALM, CALM, "set no RESULT"),
        ("memory grows", CALM, CALM, "too few steps"),
        ("memory grows", Observation(99, 1.0, kept=500.0), Observation(99, 1.0, kept=0.0), "0.5 KiB kept"),
        ("slower", CALM, CALM, "too few steps"),
        ("slower", Observation(99, 1.0, rates=(10.0, 12.0)), Observation(99, 1.0, rates=(11.0, 20.0)), "10-12 steps/s"),
    ],
)
def test_a_claim_that_does_not_hold_says_what_was_seen(
    claim: str, bad: Observation, good: Observation, words: str
) -> None:
    judgement = judged(claim, bad, good)

    assert not judgement.holds
    assert words in judgement.words


def test_every_marked_line_has_to_wait() -> None:
    runs = Runs(waiting(7, times=10), CALM, {("bad.py", 7), ("bad.py", 8)})

    assert not judge(parse_claim("waits >= 1 per step"), runs).holds


def test_of_a_long_message_the_part_that_matters_is_told() -> None:
    message = f'Error(s) in loading: {"weights " * 40}Unexpected key(s): "module.0.weight"'

    judgement = judged('raises RuntimeError matching Unexpected key.* "module', raising("RuntimeError", message))

    assert judgement.words.startswith("RuntimeError: … ")
    assert 'Unexpected key(s): "module.0.weight"' in judgement.words


@pytest.mark.parametrize("text", ["", "rises", "waits > 1 per step", "raises RuntimeError", "raises A matching ("])
def test_a_claim_that_nobody_can_check_is_refused(text: str) -> None:
    with pytest.raises(UnknownClaimError, match="claims"):
        parse_claim(text)


def test_an_observation_survives_its_way_between_processes() -> None:
    seen = Observation(
        steps=3,
        seconds=0.5,
        raised=Raised("ValueError", "日本", 4),
        waits=waiting(7, times=2).waits,
        moments=(Moment(0, 3, waiting(7, times=2).waits[0].wait), Moment(1, 2)),
        warned=(("UserWarning", "x"),),
        result="1.5",
        kept=2.0,
        rates=(1.0, 2.0),
        reached=(1, 2),
    )

    assert outcome.read(outcome.written(seen)) == seen


@pytest.mark.parametrize("text", ["", "null", "{}", "[1]", '{"raised": 3}'])
def test_what_is_no_observation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        outcome.read(text)
