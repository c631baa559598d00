"""Which code runs with every step: arms that a call, an option or the data asks for."""

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
    "around a function that updates by each of several optimizers": """
        optimizers = {"all": optimizer}
        def optimize(loss, names):
            for name in names:
                optimizers[name].zero_grad()
            loss.backward()
            for name in names:
                optimizers[name].step()
        for x in loader:
            loss = model(x).sum()
            optimize(loss, ["all"])
            loss.item()
        """,
    "a probe of gradients in the loop that updates": """
        class Algorithm:
            def probe(self, x):
                loss = model(x).sum()
                loss.backward()
                return loss.item()
            def train(self, x):
                for part in x.split(2):
                    self.probe(part)
                    loss = model(part).sum()
                    loss.backward()
                    optimizer.step()
        def run(algorithm: Algorithm):
            for x in loader:
                algorithm.train(x)
        """,
    "one of two arms that make the step": """
        for x in loader:
            loss = model(x).sum()
            if scaler:
                scaler.scale(loss).backward()
            else:
                loss.backward()
                loss.item()
        """,
    "an arm that one of two callers asks for through another": """
        def decode(loss, infer):
            if not infer:
                return loss
            loss.item()
        def encode(loss, infer=True):
            return decode(loss, infer=infer)
        for x in loader:
            loss = encode(model(x).sum(), infer=False)
            loss.backward()
        for x in loader:
            loss = encode(model(x).sum())
            loss.backward()
        """,
    "an arm that an option asks for through another": """
        def decode(loss, thorough):
            if thorough:
                loss.item()
        def encode(loss, thorough):
            decode(loss, thorough)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            encode(loss, args.thorough)
        """,
    "a function that is called from an arm and beside it": """
        def adaptive(loss):
            loss.item()
        def sample(loss, method):
            if method == "adaptive":
                adaptive(loss)
            else:
                fixed(loss)
        def fixed(loss):
            adaptive(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, method="multistep")
        """,
    "an arm that one of two calls asks for": """
        def assign(loss, mode="gpu"):
            if mode == "cpu":
                loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            assign(loss)
            assign(loss, mode="cpu")
        """,
    "a check that one of several calls asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x)
            loss.backward()
            measured(x, debug=True)
        """,
    "a check that a call further down asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        def again(x):
            return measured(x, True)
        for x in loader:
            loss = measured(x)
            loss.backward()
            again(x)
        """,
    "a check that depends on an option": """
        def check(loss):
            loss.item()
        def measured(x, checked=False):
            loss = model(x).sum()
            if checked:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x, checked=args.checked)
            loss.backward()
        """,
    "what is not left out": """
        def check(loss):
            loss.item()
        def measured(x, quiet=False):
            loss = model(x).sum()
            if quiet:
                return loss
            check(loss)
            return loss
        for x in loader:
            measured(x).backward()
        """,
    "where nothing is passed by name, and a batch fills no such parameter": """
        def measured(x, size, target=None, *, weight=None):
            loss = model(x).sum()
            if weight is None:
                loss.item()
            return loss
        for x in loader:
            measured(*x).backward()
        """,
    "where nothing is passed for what a list leaves out": """
        def measured(x, target=None):
            loss = model(x).sum()
            if target is None:
                loss.item()
            return loss
        def train(*args):
            measured(*args).backward()
        for x in loader:
            train(x, None)
        """,
}
# Each reads `loss.item()` at one place that does not.
NOT_EVERY_STEP = {
    "a probe of gradients beside the loop that updates": """
        class Algorithm:
            def probe(self, x):
                loss = model(x).sum()
                loss.backward()
                return loss.item()
            def train(self, x):
                self.probe(x)
                for part in x.split(2):
                    model(part).sum().backward()
                    optimizer.step()
        def run(algorithm: Algorithm):
            for x in loader:
                algorithm.train(x)
        """,
    "the other arm of the step": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                else:
                    loss.item()
        run("train")
        run("val")
        """,
    "a check that an option for debugging asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x, debug=args.debug)
            loss.backward()
        """,
    "an arm against the constant that a caller hands on": """
        def decode(loss, infer):
            if not infer:
                return loss
            loss.item()
        def encode(loss, infer=True):
            return decode(loss, infer=infer)
        for x in loader:
            loss = encode(model(x).sum(), infer=False)
            loss.backward()
        """,
    "a function that is only called from such an arm": """
        def adaptive(loss):
            loss.item()
        def sample(loss, method):
            if method == "adaptive":
                adaptive(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, method="multistep")
        """,
    "functions in such an arm that call each other": """
        def first(loss, depth):
            loss.item()
            second(loss, depth - 1)
        def second(loss, depth):
            first(loss, depth)
        def sample(loss, infer):
            if infer:
                first(loss, 3)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, False)
        """,
    "an arm that only the call after a failure asks for": """
        def assign(loss, mode="gpu"):
            if mode == "cpu":
                loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            try:
                assign(loss)
            except RuntimeError:
                assign(loss, "cpu")
        """,
    "a check that no call asks for": """
        class Net(nn.Module):
            def check(self, loss):
                loss.item()
            def forward(self, x, debug=False):
                loss = x.sum()
                if debug:
                    self.check(loss)
                return loss
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "a check that no call in turn asks for": """
        def check(loss):
            loss.item()
        def inner(x, debug):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        def outer(x, debug=False):
            return inner(x, debug)
        for x in loader:
            outer(x).backward()
        """,
    "where nothing is passed, and all of a batch is": """
        def check(loss, size=None):
            if size is None:
                loss.item()
        def measured(x, size, target=None):
            loss = model(x).sum()
            if target is not None:
                check(loss, size)
            else:
                check(loss)
            return loss
        for x in loader:
            measured(*x).backward()
        """,
    "past an exit that every call takes": """
        def check(loss):
            loss.item()
        def measured(x, quiet=True):
            loss = model(x).sum()
            if quiet:
                return loss
            check(loss)
            return loss
        for x in loader:
            measured(x).backward()
        """,
}


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_what_no_test_thins_out_runs_with_every_step(program: Program, code: str) -> None:
    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_what_runs_less_often_or_elsewhere_does_not(program: Program, code: str) -> None:
    assert not reads_every_step(program(in_program(code)))
