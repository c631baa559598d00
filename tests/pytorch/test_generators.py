"""What methods of a generator of random numbers return."""

from __future__ import annotations

import random

import pytest

from torchlint.pytorch.generators import DRAWING, DRAWING_METHODS, DRAWING_ON_HOST, RESEEDING, SEEDING

torch = pytest.importorskip("torch")


def test_seeding_returns_the_generator() -> None:
    generator = torch.Generator()

    assert getattr(generator, SEEDING)(0) is generator


def drawn(name: str, generator: object, device: str) -> object:
    """Draw on a device with a generator, by a function, by a method of a tensor, or by what draws an order."""
    last = name.rpartition(".")[2]
    if name in DRAWING:
        sizes: tuple[object, ...] = (3, (3,)) if last == "randint" else (3,)
        return getattr(torch, last)(*sizes, generator=generator, device=device)
    if name in DRAWING_METHODS:
        given = {"geometric_": (0.5,), "multinomial": (1,)}.get(last, ())
        return getattr(torch.full((3,), 0.5, device=device), last)(*given, generator=generator)
    arguments = {"random_split": ([2, 2],), "WeightedRandomSampler": (4,)}.get(last, ())
    made = getattr(torch.utils.data, last)([1.0, 1.0, 1.0, 1.0], *arguments, generator=generator)
    return list(made)


EVERY = sorted(DRAWING | DRAWING_METHODS | DRAWING_ON_HOST)


@pytest.mark.parametrize("name", EVERY)
def test_what_draws_takes_a_generator_of_its_device(name: str) -> None:
    first = torch.Generator().manual_seed(0)
    state = first.get_state()

    drawn(name, first, "cpu")

    assert not torch.equal(first.get_state(), state)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is one kind of generator")
@pytest.mark.parametrize("name", EVERY)
def test_what_draws_refuses_a_generator_of_another_device(name: str) -> None:
    device = "cpu" if name in DRAWING_ON_HOST else "cuda"
    other = torch.Generator("cuda" if device == "cpu" else "cpu")

    with pytest.raises(RuntimeError, match=f"Expected a '{device}' device type for generator"):
        drawn(name, other, device)


def test_generators_have_the_methods_that_seed_them() -> None:
    made = (random.Random(0), pytest.importorskip("numpy").random.RandomState(0), torch.Generator())

    assert {name for name in RESEEDING if any(hasattr(one, name) for one in made)} == RESEEDING
