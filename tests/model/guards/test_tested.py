"""What keeps a demand for CUDA from machines that have none, and what does not: tests that are skipped."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "what runs before each test of a class": """
        import unittest
        class Tests(unittest.TestCase):
            def setUp(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
            def test_moving(self):
                model.cuda()
        class More(Tests):
            def test_moving_again(self):
                self.move()
            def move(self):
                model.cuda()
        """,
    "what runs before all tests of a class": """
        import unittest
        class Tests(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                if not torch.cuda.is_available():
                    raise unittest.SkipTest("needs a GPU")
            def test_moving(self):
                model.cuda()
        """,
    "an attribute of a class that is skipped": """
        import unittest
        def make(device):
            return model.to(device)
        @unittest.skipUnless(torch.cuda.is_available(), "needs a GPU")
        class Tests(unittest.TestCase):
            DEVICE = "cuda"
            def test_making(self):
                make(self.DEVICE)
        class More(unittest.TestCase):
            def test_making(self):
                make("cpu")
        """,
    "fixtures of tests": """
        import pytest
        @pytest.fixture
        def gpu():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
            return "cuda"
        def test_moving(gpu):
            model.cuda()
        """,
    "a fixture of every test": """
        import pytest
        @pytest.fixture(autouse=True)
        def needed():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
        def test_moving():
            model.cuda()
        class Tests:
            def test_moving(self):
                model.cuda()
        """,
    "a name holds the test": """
        use_cuda = torch.cuda.is_available()
        if use_cuda:
            model.cuda()
        """,
    "a name holds more than the test": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-cuda", action="store_true")
        args = parser.parse_args()
        use_cuda = not args.no_cuda and torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        model.to(device)
        """,
    "a decorator that skips": """
        import unittest
        class TestNet(unittest.TestCase):
            @unittest.skipUnless(torch.cuda.is_available(), "needs a GPU")
            def test_it(self):
                model.cuda()
        """,
    "a decorator of the class that skips": """
        import pytest
        @pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
        class TestNet:
            def test_it(self):
                model.cuda()
        """,
    "a decorator that asks for GPUs": """
        from lightning.fabric.utilities.testing import _RunIf
        @_RunIf(min_cuda_gpus=1)
        def test_it():
            model.cuda()
        """,
    "marks of a set of parameters": """
        import pytest
        from marks import needs_gpu
        @pytest.mark.parametrize("moved", [model, pytest.param(model.cuda(), marks=[needs_gpu])])
        def test_it(moved):
            pass
        """,
    "a decorator by another name": """
        import unittest
        needs_gpu = unittest.skipIf(not torch.cuda.is_available(), "needs a GPU")
        @needs_gpu
        def test_it():
            model.cuda()
        """,
    "a mark of the file": """
        import pytest
        pytestmark = [pytest.mark.slow, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]
        def test_it():
            model.cuda()
        """,
    "a skip of unittest": """
        import unittest
        class TestNet(unittest.TestCase):
            def test_it(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
                model.cuda()
        """,
    "a skip in the test": """
        import pytest
        def test_it():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
            model.cuda()
        """,
    "self holds the test": """
        class Trainer:
            def __init__(self):
                self.use_cuda = torch.cuda.is_available()
            def fit(self):
                if self.use_cuda:
                    model.cuda()
        """,
}
UNGUARDED = {
    "what runs before the tests of another class": """
        import unittest
        class Tests(unittest.TestCase):
            def setUp(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
        class Others(unittest.TestCase):
            def setUp(self):
                print("starting")
            def test_moving(self):
                model.cuda()
        """,
    "a fixture that a test is not given": """
        import pytest
        @pytest.fixture
        def gpu():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
        def test_moving():
            model.cuda()
        """,
    "a mark of the file that has no test": """
        import pytest
        pytestmark = pytest.mark.slow
        def test_it():
            model.cuda()
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
