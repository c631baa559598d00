"""Arguments that are read as numbers, against the simulated GPU."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("torch", reason="the table is held against a simulated GPU")

from tests.verify.test_waits import simulated
from torchlint.pytorch.number_arguments import NUMBER_ARGUMENTS, SAVING_ARGUMENTS, NumberArgument, SavingArgument
from torchlint.pytorch.waits import Fact, Kind


def waits(example: str) -> int:
    return simulated(Fact("", example, 1, Kind.SCALAR))[0]


@pytest.mark.parametrize("row", NUMBER_ARGUMENTS, ids=lambda row: row.example)
def test_a_tensor_is_read_and_a_number_is_not(row: NumberArgument) -> None:
    numbers = re.sub(r"\by\b", "0.5", re.sub(r"\bi\b", "1", row.example))

    assert waits(row.example) > waits(numbers) == 0


GIVEN = {
    "add": "x", "sub": "x", "index_add": "0, ind, x[:3]", "addcmul": "x, x", "addcdiv": "x, x",
    "addmm": "m, m", "addmv": "m, m[0]", "baddbmm": "m[None], m[None]",
}  # fmt: skip
OWNERS = {"addmm": "m", "addmv": "m[0]", "baddbmm": "m[None]"}


@pytest.mark.parametrize(
    ("name", "keyword"),
    [(name, row.keyword) for row in NUMBER_ARGUMENTS for name in sorted(row.names) if name.removesuffix("_") in GIVEN],
)
def test_each_of_the_methods_with_the_keyword_reads_a_tensor(name: str, keyword: str) -> None:
    plain = name.removesuffix("_")

    assert waits(f"{OWNERS.get(plain, 'x')}.clone().{name}({GIVEN[plain]}, {keyword}=y)") == 1


@pytest.mark.parametrize("row", SAVING_ARGUMENTS, ids=lambda row: row.example)
def test_an_argument_saves_the_question(row: SavingArgument) -> None:
    assert waits(row.example) > waits(row.saving) == 0


@pytest.mark.parametrize("example", ["x.clone().add_({}, x)", "torch.add(x, {}, x)", "x.addcdiv({}, x, x)"])
def test_a_scalar_before_the_tensors_is_read_too(example: str) -> None:
    assert waits(example.format("y")) == 1
    assert waits(example.format("0.5")) == 0
