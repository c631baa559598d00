"""What the model takes for granted of PyTorch's distributions, asked of PyTorch."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from torchlint.pytorch.distributions import DISTRIBUTIONS

torch = pytest.importorskip("torch")
_MADE_OF_OTHERS = {"Independent"}
_OF_MATRICES = {"LowRankMultivariateNormal", "MultivariateNormal"}
_OF_NUMBERS = DISTRIBUTIONS - _MADE_OF_OTHERS - _OF_MATRICES - {
    "Categorical", "Multinomial", "NegativeBinomial", "OneHotCategorical",
    "OneHotCategoricalStraightThrough", "RelaxedBernoulli", "RelaxedOneHotCategorical",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_checks() -> Iterator[None]:
    """Disable the checks of arguments without data."""
    torch.distributions.Distribution.set_default_validate_args(False)
    yield
    torch.distributions.Distribution.set_default_validate_args(True)


def _required(kind: type, parameter: object) -> dict[str, object]:
    """Return a parameter for each that a distribution has to be given, and probabilities where it may be given any."""
    names = inspect.signature(kind).parameters
    required = [name for name, one in names.items() if one.default is one.empty]
    return dict.fromkeys([*required, *({"probs"} & names.keys())], parameter)


@pytest.mark.parametrize("name", sorted(_OF_NUMBERS))
def test_of_numbers_it_is_made_on_the_default_device(name: str) -> None:
    kind = getattr(torch.distributions, name)
    numbers = _required(kind, 0.4) | ({"high": 0.6} if name == "Uniform" else {})

    assert kind(**numbers).sample((3,)).device.type == "cpu"
    with torch.device("meta"):
        assert kind(**numbers).sample((3,)).device.type == "meta"


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS - _MADE_OF_OTHERS - _OF_MATRICES))
def test_of_tensors_it_is_where_they_are(name: str) -> None:
    kind = getattr(torch.distributions, name)
    given = _required(kind, torch.rand(3, device="meta")) | ({"total_count": 4} if name == "Multinomial" else {})

    assert kind(**given).sample().device.type == "meta"


def test_one_of_matrices_or_of_another_is_where_these_are() -> None:
    mean, matrix = torch.rand(3, device="meta"), torch.eye(3, device="meta")
    normal = torch.distributions.MultivariateNormal(mean, scale_tril=matrix)
    low = torch.distributions.LowRankMultivariateNormal(mean, matrix, mean)

    for one in (normal, low, torch.distributions.Independent(normal, 0)):
        assert one.sample().device.type == "meta"


@pytest.mark.parametrize("name", ["Normal", "Laplace", "Uniform"])
def test_what_is_sampled_has_no_graph_and_what_is_drawn_again_has_one(name: str) -> None:
    one = getattr(torch.distributions, name)(torch.zeros(2, requires_grad=True), torch.ones(2))

    assert not one.sample().requires_grad
    assert one.rsample().requires_grad
