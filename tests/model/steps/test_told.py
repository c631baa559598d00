"""The way from a training loop to a place, as a trace tells it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step
from tests.model.steps.programs import HEAD, in_program, reads_every_step

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


TOLD = """
def losses(x, only_return=False, *rest):
    loss = model(x).sum()
    if only_return:
        return loss
    loss.backward()
    optimizer.step()
def both(x, dry):
    losses(x)
    losses(x, only_return=dry)
def hand_on(x, dry=False):
    return losses(x, dry)
class Steps:
    def __call__(self, x, dry=False):
        loss = model(x).sum()
        if not dry:
            loss.backward()
            optimizer.step()
        return loss
steps = Steps()
for x in loader:
    loss = {call}
    loss.item()
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("losses(x)", True),
        ("losses(x, False)", True),
        ("losses(x, asked)", True),
        ("losses(*x)", True),
        ("losses(x, **asked)", True),
        ("losses(x, True)", False),
        ("losses(x, only_return=True)", False),
        ("hand_on(x)", True),
        ("hand_on(x, dry=True)", False),
        ("both(x, True)", True),
        ("steps(x)", True),
        ("steps(x, True)", False),
    ],
)
def test_a_call_that_passes_what_keeps_the_step_out_makes_none(program: Program, call: str, expected: bool) -> None:
    code = "from elsewhere import asked\n" + TOLD.format(call=call)

    assert reads_every_step(program(in_program(code))) is expected


def test_the_way_is_told_through_the_files(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": HEAD + dedent("""\
            from engine.loop import train
            train(model, loader, optimizer)
            """),
        "engine/__init__.py": "",
        "engine/loop.py": """\
            from .meters import Meter

            def train(model, loader, optimizer):
                meter = Meter()
                for x in loader:
                    loss = model(x).sum()
                    loss.backward()
                    meter.update(loss)
                    optimizer.step()
            """,
        "engine/meters.py": """\
            class Meter:
                def update(self, value):
                    self.add(value)

                def add(self, value):
                    self.total = value.item()
            """,
    })  # fmt: skip

    story = every_step(project.place("value.item()", "engine/meters.py"))

    assert [(step.path, step.span.line, step.words) for step in story or ()] == [
        ("engine/loop.py", 5, "this loop trains"),
        ("engine/loop.py", 8, "`Meter.update` is called in every step here"),
        ("engine/meters.py", 3, "`Meter.add` is called in every step here"),
    ]


def test_a_trainer_whose_step_a_subclass_in_another_file_writes(project_of: ProjectOf) -> None:
    project = project_of({
        "base.py": """\
            class Base:
                def fit(self, loader):
                    for x in loader:
                        self.train_step(x)

                def train_step(self, x):
                    raise NotImplementedError
            """,
        "main.py": HEAD + dedent("""\
            from base import Base

            class Mine(Base):
                def train_step(self, x):
                    loss = model(x).sum()
                    loss.backward()
                    loss.item()
            """),
    })  # fmt: skip

    assert reads_every_step(project)


def test_a_step_function_passed_by_name_to_a_loop_in_another_file(project_of: ProjectOf) -> None:
    project = project_of({
        "loops.py": """\
            def run(step, loader):
                for x in loader:
                    step(x)
            """,
        "main.py": HEAD + dedent("""\
            from loops import run

            def step(x):
                loss = model(x).sum()
                loss.backward()
                loss.item()

            run(step, loader)
            """),
    })  # fmt: skip

    assert reads_every_step(project)


def test_recursion_ends(program: Program) -> None:
    code = """
        def walk(x, depth):
            loss = model(x).sum()
            loss.backward()
            loss.item()
            return walk(x, depth - 1) if depth else None
        def a(x):
            b(x)
        def b(x):
            a(x)
        for x in loader:
            walk(x, 3)
            a(x)
        """

    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize(("other", "is_step"), [("Base", True), ("object", False)])
def test_a_method_that_one_family_has_is_meant_whatever_it_is_called_on(
    project_of: ProjectOf, other: str, *, is_step: bool
) -> None:
    project = project_of(
        {
            "base.py": "class Base:\n    def optimize_parameters(self):\n        pass\n",
            "one.py": "from base import Base\nclass One(Base):\n    def optimize_parameters(self):\n"
            "        self.loss = self.net(self.x.cuda())\n        self.loss.backward()\n        self.optimizer.step()\n"
            "        print(self.loss.item())\n",
            "two.py": f"from base import Base\nclass Two({other}):\n    def optimize_parameters(self):\n        return 1\n",
            "train.py": "from registry import build\nmodel = build('one')\nfor x in range(9):\n"
            "    model.optimize_parameters()\n",
        }
    )

    story = every_step(project.place("self.loss.item()", "one.py"))

    assert story is not None
    assert any(step.is_assumed for step in story) is not is_step


def test_a_scaler_of_timm_makes_the_step_itself(program: Program) -> None:
    code = """
        from timm.utils import NativeScaler
        loss_scaler = NativeScaler()
        for x in loader:
            loss = model(x).sum()
            loss_scaler(loss, optimizer, parameters=model.parameters())
            loss.item()
        """

    assert reads_every_step(program(in_program(code)))


def test_what_is_refused_further_up_thins_nothing(program: Program) -> None:
    code = """
        for x in loader:
            n = len(x)
            if n != 1:
                raise ValueError("one at a time")
            loss = model(x).sum()
            loss.backward()
            loss.item()
        """

    assert reads_every_step(program(in_program(code)))


def test_what_a_function_is_given_to_call_is_what_this_caller_gives(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "tools.py": "def apply(func, x):\n    return func(x)\n"
            "def halved(x):\n    def half(y):\n        return y.item()  # often\n    return apply(half, x)\n"
            "def listed(x):\n    def numbers(y):\n        return y.item()  # once\n    return apply(numbers, x)\n",
            "main.py": HEAD + "from tools import halved, listed\nfor x in loader:\n    loss = model(x.cuda()).sum()\n"
            "    loss.backward()\n    optimizer.step()\n    halved(loss)\nlisted(loss)\n",
        }
    )

    assert every_step(project.place("y.item()", "tools.py", "often")) is not None
    assert every_step(project.place("y.item()", "tools.py", "once")) is None


def test_the_way_that_is_told_is_one_that_the_tests_let_through(program: Program) -> None:
    code = """
        def window(loss, half=None):
            if half is not None:
                loss.item()
        def sines(loss):
            window(loss)
        def combs(loss):
            window(loss, half=3)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sines(loss)
            combs(loss)
        """

    story = every_step(program(in_program(code)).place("loss.item()"))

    assert story is not None
    assert [step.words for step in story][1:] == [
        "`combs` is called in every step here",
        "`window` is called in every step here",
    ]


METER = """
class Meter:
    def update(self, **values):
        for value in values.values():
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.add(value)
    def add(self, value):
        self.total = float(value)
meter = Meter()
for x in loader:
    loss = model(x.cuda()).sum()
    loss.backward()
"""


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (["meter.update(rate=0.1)", "meter.update(loss=loss)"], ["meter.update(loss=loss)"]),
        (["meter.update(loss=loss)", "meter.update(rate=0.1)"], ["meter.update(loss=loss)"]),
        (["meter.update(rate=0.1)", "meter.update(step=3)"], []),
    ],
    ids=["the second", "the first", "none"],
)
def test_the_call_that_is_told_is_one_that_passes_a_tensor(program: Program, calls: list[str], told: list[str]) -> None:
    project = program(in_program(METER + "".join(f"    {call}\n" for call in calls)))

    findings = [one for one in project.findings("item-in-training-loop") if one.span.line < 15]

    text = project.file().source.text.split("\n")
    assert [text[one.trace[1].span.line - 1].strip() for one in findings] == told


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('meter.update(**{"loss": loss})', 1),
        ('losses = {"loss": loss, "rate": 0.1}\n    meter.update(rate=0.1, **losses)', 1),
        ('losses = {"loss": loss}\n    meter.update(**{**losses})', 1),
        ('meter.update(**{"rate": 0.1})', 0),
        ("numbers = {key: len(value) for key, value in x.items()}\n    meter.update(**numbers)", 0),
        ('losses = {"loss": "none", "rate": 0.1}\n    meter.update(rate=0.1, **losses)', 0),
    ],
)
def test_what_is_unpacked_for_any_keywords_is_what_the_dict_holds(program: Program, call: str, found: int) -> None:
    project = program(in_program(f"{METER}    {call}\n"))

    findings = [one for one in project.findings("item-in-training-loop") if one.span.line < 15]

    assert len(findings) == found


def test_the_call_that_is_told_may_be_further_out(program: Program) -> None:
    code = """
        def read(value):
            return value.item()
        def note(value):
            read(value)
        for x in loader:
            loss = model(x.cuda()).sum()
            loss.backward()
            note(numbers.mean(3))
            note(loss)
        """

    (finding,) = program(in_program(code)).findings("item-in-training-loop")

    assert [(step.span.line, step.words) for step in finding.trace][1:] == [
        (15, "`note` is called in every step here"),
        (10, "`read` is called in every step here"),
    ]


def test_the_read_of_a_property_is_told_as_a_read(program: Program) -> None:
    code = """
        class Meter:
            @property
            def mean(self):
                return self.total.item()
        meter = Meter()
        for x in loader:
            meter.total = model(x.cuda()).sum()
            meter.total.backward()
            meter.mean
        """

    (finding,) = program(in_program(code)).findings("item-in-training-loop")

    assert [step.words for step in finding.trace][1:] == ["`Meter.mean` is read in every step here"]


_GOES_BACK = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        loss = 2 * grad * x
        loss.item()
        return loss

for x in loader:
    y = model(x)
    {}
    y.sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("called", "expected"),
    [
        ("y = Square.apply(y)", True),
        ("with torch.enable_grad():\n        y = Square.apply(y)", True),
        ("Square.apply(y.detach())", False),
        ("with torch.no_grad():\n        Square.apply(y)", False),
        ("if step % 100 == 0:\n        y = Square.apply(y)", False),
        ("pass", False),
    ],
)
def test_what_is_applied_every_step_goes_back_every_step(program: Program, called: str, expected: bool) -> None:
    assert reads_every_step(program(HEAD + _GOES_BACK.format(called))) is expected
