"""Evaluation loops are distinguished from training loops."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import torch
from torch import nn
model = nn.Linear(2, 2).cuda()
loader = torch.utils.data.DataLoader([])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
EVALUATING = {
    "no_grad around the loop": """
        with torch.no_grad():
            for x in loader:
                model(x).sum().item()
        """,
    "inference_mode in the loop": """
        for x in loader:
            with torch.inference_mode():
                model(x).sum().item()
        """,
    "a decorator": """
        @torch.no_grad()
        def validate():
            for x in loader:
                model(x).sum().item()
        """,
    "after eval": """
        model.eval()
        for x in loader:
            model(x).sum().item()
        """,
    "after eval, once for each epoch": """
        for epoch in range(9):
            model.train()
            for x in loader:
                model(x).sum().backward()
                optimizer.step()
            model.eval()
            for x in loader:
                model(x).sum().item()
        """,
    "now and then, in a loop that trains": """
        for step, x in enumerate(loader):
            model(x).sum().backward()
            optimizer.step()
            if step % 100 == 0:
                with torch.no_grad():
                    for y in loader:
                        model(y)
                        model(x).sum().item()
        """,
}
NOT_EVALUATING = {
    "after eval, in an epoch that goes on training": """
        for epoch in range(9):
            model.eval()
            model.train()
            for x in loader:
                model(x).sum().item()
        """,
    "training": """
        model.eval()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            model(x).sum().item()
        """,
    "switched back": """
        model.eval()
        model.train()
        for x in loader:
            model(x).sum().item()
        """,
    "no loop": """
        with torch.no_grad():
            model(1).sum().item()
        """,
    "after the loop": """
        with torch.no_grad():
            for x in loader:
                model(x)
            model(x).sum().item()
        """,
    "now and then": """
        with torch.no_grad():
            for i, x in enumerate(loader):
                if i % 100 == 0:
                    model(x).sum().item()
        """,
    "over parameters, now and then": """
        for step, x in enumerate(loader):
            model(x).sum().backward()
            optimizer.step()
            if step % 100 == 0:
                with torch.no_grad():
                    for part in model.children():
                        model(x).sum().item()
        """,
    "inside the training loop": """
        for x in loader:
            model(x).sum().backward()
            with torch.no_grad():
                for y in loader:
                    model(x).sum().item()
        """,
}


@pytest.mark.parametrize("code", EVALUATING.values(), ids=EVALUATING)
def test_a_loop_over_batches_that_records_nothing_evaluates(program: Program, code: str) -> None:
    project = program(HEAD + dedent(code))

    place = project.place("model(x).sum().item()")

    assert project.file().every_evaluated_batch(place) is not None


@pytest.mark.parametrize("code", NOT_EVALUATING.values(), ids=NOT_EVALUATING)
def test_what_trains_or_runs_once_does_not(program: Program, code: str) -> None:
    project = program(HEAD + dedent(code))

    place = project.place("model(x).sum().item()" if "model(1)" not in code else "model(1).sum().item()")

    assert project.file().every_evaluated_batch(place) is None
