"""What methods of a generator of random numbers return."""

from __future__ import annotations

import pytest

from torchlint.pytorch.generators import SEEDING

torch = pytest.importorskip("torch")


def test_seeding_returns_the_generator() -> None:
    generator = torch.Generator()

    assert getattr(generator, SEEDING)(0) is generator
