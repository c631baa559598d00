"""Which code runs with every step: loops, and the phases and tests inside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.steps.programs import in_program, reads_every_step

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

# Each reads `loss.item()` at one place that runs with every step.
EVERY_STEP = {
    "a loop that makes whole steps, one by each optimizer": """
        def fit(models, optimizers, x):
            for i, one in enumerate(models):
                loss = one(x).sum()
                loss.backward()
                optimizers[i].step()
                loss.item()
        fit([model], [optimizer], torch.zeros(2))
        """,
    "a loop that makes a step in every second round": """
        def prepare(x):
            model(x).sum().backward()
            optimizer.step()
        for i, x in enumerate(loader):
            if i % 2 == 0:
                prepare(x)
            loss = model(x).sum()
            loss.item()
        """,
    "a step in the first of several tries with each batch": """
        for x in loader:
            for i in range(3):
                loss = model(x).sum()
                loss.item()
                if i == 0:
                    loss.backward()
                    optimizer.step()
        """,
    "a step in the round whose number is counted otherwise": """
        for i, x in enumerate(loader):
            i = i % 2
            loss = model(x).sum()
            loss.item()
            if i == 0:
                loss.backward()
                optimizer.step()
        """,
    "a loop that some rounds do not leave at the end": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            if not loss.isfinite():
                continue
            loss.item()
            break
        """,
    "a loop that is left at once in every round of another": """
        for epoch in range(9):
            for x in loader:
                loss = model(x).sum()
                loss.item()
                loss.backward()
                optimizer.step()
                break
        """,
    "the one of two that makes a step": """
        class Once:
            def train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
        class Often:
            def train(self, x):
                for part in x.split(2):
                    loss = model(part).sum()
                    loss.backward()
                    optimizer.step()
        def run(often):
            algorithm = Often() if often else Once()
            for x in loader:
                algorithm.train(x)
        """,
    "the phase of the step": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                if phase == "train":
                    loss.item()
        run("train")
        run("val")
        """,
    "a step loop": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            loss.item()
        """,
    "an epoch loop around it": """
        for epoch in range(9):
            for x in loader:
                loss = model(x).sum()
                loss.item()
                optimizer.step()
        """,
    "a while loop": """
        while True:
            loss = model(next(loader)).sum()
            loss.backward()
            loss.item()
        """,
    "a closure for the optimizer": """
        for x in loader:
            def closure():
                loss = model(x).sum()
                loss.backward()
                loss.item()
                return loss
            optimizer.step(closure)
        """,
    "two optimizers": """
        optimizer_d = torch.optim.Adam(model.parameters())
        for x in loader:
            loss = model(x).sum()
            optimizer_d.step()
            other = model(x).sum()
            optimizer.step()
            loss.item()
        """,
    "one rank only": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            if torch.distributed.get_rank() == 0:
                loss.item()
        """,
    "a test of the data": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            if x.shape[0] > 1:
                loss.item()
        """,
    "most rounds": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i > 100:
                loss.item()
        """,
    "all rounds but some": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                continue
            loss.item()
        """,
    "gradients that are accumulated": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 4 == 0:
                optimizer.step()
                loss.item()
        """,
    "in a try": """
        for x in loader:
            try:
                loss = model(x).sum()
                loss.backward()
                loss.item()
            except RuntimeError:
                pass
        """,
    "in a with": """
        for x in loader:
            with torch.autocast("cuda"):
                loss = model(x).sum()
            loss.backward()
            with torch.no_grad():
                loss.item()
        """,
    "a comprehension": """
        for x in loader:
            losses = [model(x).sum()]
            sum(losses).backward()
            [loss.item() for loss in losses]
        """,
}
# Each reads `loss.item()` at one place that does not.
NOT_EVERY_STEP = {
    "a loop of one round by its range": """
        for _ in range(1):
            loss = model(torch.ones(2)).sum()
            loss.backward()
            loss.item()
        """,
    "a loop of one round from nought": """
        for _ in range(0, 1):
            loss = model(torch.ones(2)).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    "a loop that is left at once": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            loss.item()
            break
        """,
    "a function that returns with the first batch": """
        def smoke():
            for x in loader:
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                return loss.item()
        smoke()
        """,
    "a loop whose first round alone makes a step": """
        def prepare(x):
            model(x).sum().backward()
            optimizer.step()
        for i, x in enumerate(loader):
            if i == 0:
                prepare(x)
            loss = model(x).sum()
            loss.item()
        """,
    "the one of two that has a step loop of its own": """
        class Once:
            def train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
        class Often:
            def train(self, x):
                loss = model(x).sum()
                loss.item()
                for part in x.split(2):
                    model(part).sum().backward()
                    optimizer.step()
        def run(often):
            algorithm = Often() if often else Once()
            for x in loader:
                algorithm.train(x)
        """,
    "another phase": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                if phase == "val":
                    loss.item()
        run("train")
        run("val")
        """,
    "after the loop": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        loss.item()
        """,
    "every epoch": """
        for epoch in range(9):
            for x in loader:
                loss = model(x).sum()
                loss.backward()
            loss.item()
        """,
    "in the loop's else": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        else:
            loss.item()
        """,
    "an evaluation": """
        model.eval()
        for x in loader:
            loss = model(x).sum()
            loss.item()
        """,
    "a scheduler's steps": """
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for epoch in range(9):
            loss = model(epoch)
            scheduler.step()
            loss.item()
        """,
    "an environment's steps": """
        import gym
        env = gym.make("CartPole")
        for i in range(9):
            loss = env.step(i)
            loss.item()
        """,
    "a validation in the epoch loop": """
        def validate():
            for x in loader:
                loss = model(x).sum()
                loss.item()
        for epoch in range(9):
            for x in loader:
                model(x).sum().backward()
            validate()
        """,
    "training_step of nobody": """
        class Net:
            def training_step(self, batch):
                loss = model(batch).sum()
                loss.item()
        """,
}


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_what_no_test_thins_out_runs_with_every_step(program: Program, code: str) -> None:
    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_what_runs_less_often_or_elsewhere_does_not(program: Program, code: str) -> None:
    assert not reads_every_step(program(in_program(code)))
