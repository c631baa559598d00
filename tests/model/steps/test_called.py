"""Which code runs with every step: what a step calls, and what calls the step."""

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
    "the override of the class that is made": """
        class Attack:
            def __call__(self, x):
                return self.forward(x)
            def forward(self, x):
                raise NotImplementedError
        class Fast(Attack):
            def forward(self, x):
                return x + 1
        class Slow(Attack):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return x
        attack = Slow()
        for x in loader:
            loss = model(attack(x)).sum()
            loss.backward()
            optimizer.step()
        """,
    "the override of one of the classes that are made": """
        class Attack:
            def __call__(self, x):
                return self.forward(x)
            def forward(self, x):
                raise NotImplementedError
        class Fast(Attack):
            def forward(self, x):
                return x + 1
        class Slow(Attack):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return x
        attack = Slow() if torch.rand(1) > 0.5 else Fast()
        for x in loader:
            loss = model(attack(x)).sum()
            loss.backward()
            optimizer.step()
        """,
    "the override of a class that is made elsewhere": """
        class Attack:
            def __call__(self, x):
                return self.forward(x)
            def forward(self, x):
                raise NotImplementedError
        class Fast(Attack):
            def forward(self, x):
                return x + 1
        class Slow(Attack):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return x
        def fit(attack: Attack):
            for x in loader:
                loss = model(attack(x)).sum()
                loss.backward()
                optimizer.step()
        """,
    "a method that is looked up by a text": """
        class Trainer:
            def run(self, mode):
                step = getattr(self, "_" + mode)
                for x in loader:
                    step(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "a method that is looked up in every round": """
        class Trainer:
            def run(self, mode):
                for x in loader:
                    getattr(self, f"_{mode}")(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "the module that a constructor makes for one of its callers": """
        class Mean(nn.Module):
            def forward(self, x):
                return model(x).sum()
        class Printed(nn.Module):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return loss
        class Trainer:
            def __init__(self, kind):
                if kind == "mean":
                    self.net = Mean()
                else:
                    self.net = Printed()
            def step(self, x):
                self.net.forward(x).backward()
                optimizer.step()
        trainer = Trainer("mean")
        Trainer("printed")
        for x in loader:
            trainer.step(x)
        """,
    "what a step calls that has a loop of its own": """
        def refine(x):
            for _ in range(3):
                model(x).sum().backward()
                optimizer.step()
            loss = model(x).sum()
            loss.item()
        for x in loader:
            refine(x)
            model(x).sum().backward()
            optimizer.step()
        """,
    "a module that each step makes": """
        class Bins(nn.Module):
            def __init__(self, degrees):
                super().__init__()
                loss = degrees.sum()
                self.count = loss.item()
            def forward(self, x):
                return x
        class Fit:
            def __init__(self, net=Bins):
                self.net = net
            def run(self):
                for x in loader:
                    loss = self.net(x).sum()
                    loss.backward()
        """,
    "a step in a callee": """
        def step(loss):
            loss.backward()
        for x in loader:
            loss = model(x).sum()
            step(loss)
            loss.item()
        """,
    "a step two calls below": """
        def backward(loss):
            loss.backward()
        def step(loss):
            backward(loss)
        for x in loader:
            loss = model(x).sum()
            step(loss)
            loss.item()
        """,
    "a callee of the loop": """
        def note(loss):
            return loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            note(loss)
        """,
    "three calls below the loop": """
        def third(loss):
            return loss.item()
        def second(loss):
            return third(loss)
        def first(loss):
            return second(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            first(loss)
        """,
    "a function that trains by itself": """
        def train_step(x):
            loss = model(x).sum()
            loss.backward()
            return loss.item()
        for x in loader:
            train_step(x)
        """,
    "forward of the module": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "forward through the wrapper": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        net = nn.DataParallel(Net())
        for x in loader:
            net(x).backward()
        """,
    "forward through a wrapper of one's own": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        class Parallel(nn.DataParallel):
            pass
        net = Parallel(Net())
        for x in loader:
            net(model(x).sum()).backward()
        """,
    "forward of the wrapper itself": """
        class Parallel(nn.DataParallel):
            def forward(self, loss):
                loss.item()
                return loss
        net = Parallel(nn.Linear(2, 2))
        for x in loader:
            net(model(x).sum()).backward()
        """,
    "forward of a submodule": """
        class Block(nn.Module):
            def forward(self, loss):
                return loss * loss.item()
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()
            def forward(self, x):
                return self.block(x)
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "what computes an attribute that the loop reads": """
        class Meter:
            def update(self, value):
                self.total = value
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.update(loss)
            print(meter.mean)
        """,
    "what computes an attribute that a callee reads": """
        class Meter:
            @property
            @torch.no_grad()
            def mean(self):
                loss = self.total
                return loss.item()
            def show(self):
                print(self.mean)
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.show()
        """,
    "functions that call each other": """
        def first(loss, depth):
            loss.item()
            second(loss, depth - 1)
        def second(loss, depth):
            if depth:
                first(loss, depth)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            second(loss, 3)
        """,
    "a helper that makes the step now and then": """
        def learn(rows):
            loss = model(rows).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        for i, x in enumerate(loader):
            if i % 4 == 0:
                learn(x)
        """,
    "a method that makes the step once there is enough": """
        class Agent:
            def learn(self):
                loss = model(self.rows).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def observe(self, x):
                self.rows.append(x)
                if len(self.rows) >= 32:
                    self.learn()
                    self.rows.clear()
        agent = Agent()
        for x in loader:
            agent.observe(x)
        """,
}
# Each reads `loss.item()` at one place that does not.
NOT_EVERY_STEP = {
    "the override of another class": """
        class Attack:
            def __call__(self, x):
                return self.forward(x)
            def forward(self, x):
                raise NotImplementedError
        class Fast(Attack):
            def forward(self, x):
                return x + 1
        class Slow(Attack):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return x
        attack = Fast()
        for x in loader:
            loss = model(attack(x)).sum()
            loss.backward()
            optimizer.step()
        """,
    "a method beside one that is looked up by a text": """
        class Trainer:
            def run(self, mode):
                step = getattr(self, "_" + mode)
                for x in loader:
                    step(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                return loss
            def _test(self, x):
                loss = model(x).sum()
                loss.item()
        Trainer().run("train")
        Trainer().run("test")
        """,
    "a method that is looked up on something else": """
        class Trainer:
            def run(self, mode):
                for x in loader:
                    getattr(x, "_" + mode)(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "the constructor of a class that stands for its object": """
        class Bins(nn.Module):
            def __init__(self, degrees):
                super().__init__()
                loss = degrees.sum()
                self.count = loss.item()
            def forward(self, x):
                return x
        class Fit:
            def __init__(self, net=Bins):
                self.net = net
            def run(self):
                for x in loader:
                    loss = self.net(x)[:4].sum()
                    loss.backward()
        """,
    "a callee that is called after the loop": """
        def note(loss):
            return loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        note(loss)
        """,
    "what computes an attribute that is read after the loop": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            model(x).sum().backward()
        print(meter.mean)
        """,
    "what computes an attribute of that name for others": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        class Counter:
            def __init__(self):
                self.mean = 0.0
        meter, counter = Meter(), Counter()
        for x in loader:
            model(x).sum().backward()
            print(counter.mean)
        """,
    "what computes an attribute that is set": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
            @mean.setter
            def mean(self, value):
                self.total = value
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.mean = loss
        """,
    "what computes an attribute but once": """
        class Meter:
            @functools.cached_property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            model(x).sum().backward()
            print(meter.mean)
        """,
    "a helper that makes one step more now and then": """
        def learn(rows):
            model(rows).sum().backward()
            optimizer.step()
        def learn_more(rows):
            loss = model(rows).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        for i, x in enumerate(loader):
            learn(x)
            if i % 4 == 0:
                learn_more(x)
        """,
    "the module that a constructor makes for nobody": """
        class Mean(nn.Module):
            def forward(self, x):
                return model(x).sum()
        class Printed(nn.Module):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return loss
        class Trainer:
            def __init__(self, kind):
                if kind == "mean":
                    self.net = Mean()
                else:
                    self.net = Printed()
            def step(self, x):
                self.net.forward(x).backward()
                optimizer.step()
        trainer = Trainer("mean")
        for x in loader:
            trainer.step(x)
        """,
    "the module that a wrapper never runs": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        class Apart(nn.DataParallel):
            def forward(self, loss):
                return loss * 2
        net = Apart(Net())
        for x in loader:
            net(model(x).sum()).backward()
        """,
}


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_what_no_test_thins_out_runs_with_every_step(program: Program, code: str) -> None:
    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_what_runs_less_often_or_elsewhere_does_not(program: Program, code: str) -> None:
    assert not reads_every_step(program(in_program(code)))
