"""Loops over batches whose iterations repeat a step, with the same batch or not."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import torch
from torch import nn
from settings import args, env, epochs
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
def step(x):
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss
"""
# Each reads `loss.item()` at one place that runs with every batch.
EVERY_BATCH = {
    "a step or a few": """
        for x in loader:
            for _ in range(2):
                loss = step(x)
            loss.item()
        """,
    "as many steps as somebody says": """
        for x in loader:
            for _ in range(args.critic_steps):
                loss = step(x)
            loss.item()
        """,
    "a step until it succeeds": """
        for i, x in enumerate(loader):
            done = False
            while not done:
                loss = step(x)
                done = True
            loss.item()
        """,
    "what is made of a batch": """
        def train(train_dataset, steps=1):
            for batch in train_dataset:
                x, y = batch["x"].cuda(), batch["y"].cuda()
                for i in range(steps):
                    loss = step(x)
                loss.item()
        """,
    "a loop that two others stand in": """
        for x in loader:
            for i in range(2):
                for j in range(2):
                    loss = step(x[i, j])
            loss.item()
        """,
    "beside the loop of another network": """
        for x in loader:
            for _ in range(args.critic_steps):
                step(x)
            for _ in range(args.steps):
                step(x)
            loss = model(x).sum()
            loss.item()
        """,
    "a function that steps until it succeeds": """
        def update(x):
            is_done = False
            while not is_done:
                step(x)
                if torch.isfinite(x).all():
                    is_done = True
        for epoch in range(epochs):
            for x in loader:
                for i in range(args.steps):
                    update(x[i])
                loss = model(x).sum()
                loss.item()
        """,
}
# Each reads `loss.item()` at one place that runs less often.
NOT_EVERY_BATCH = {
    "epochs": """
        for epoch in range(epochs):
            for _ in range(args.steps):
                for x in loader:
                    loss = step(x)
                loss.item()
        """,
    "epochs over all data at once": """
        for epoch in range(epochs):
            x = next(iter(loader))
            for _ in range(2):
                loss = step(x)
            loss.item()
        """,
    "many steps with the same batch": """
        for x in loader:
            for _ in range(500):
                loss = step(x)
            loss.item()
        """,
    "many steps unless somebody says otherwise": """
        def fit(steps=500):
            for x in loader:
                for _ in range(steps):
                    loss = step(x)
                loss.item()
        """,
    "steps with something else": """
        for x in loader:
            for _ in range(2):
                loss = step(torch.ones(2))
            loss.item()
        """,
    "parts of a batch": """
        for x in loader:
            for part in x.split(2):
                loss = step(part)
            loss.item()
        """,
    "several loaders": """
        for train in (loader, loader):
            for _ in range(2):
                loss = step(next(iter(train)))
            loss.item()
        """,
    "a model for each batch": """
        for x in loader:
            model = nn.Linear(2, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(args.steps):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
            loss.item()
        """,
    "a function that plays until somebody says that it is over": """
        def play(x):
            is_over = False
            while not is_over:
                step(x)
                is_over = env.act(x)
        for x in loader:
            play(x)
            loss = model(x).sum()
            loss.item()
        """,
    "a function that repeats a step for long": """
        def fit(x):
            for _ in range(args.steps):
                step(x)
        for x in loader:
            fit(x)
            loss = model(x).sum()
            loss.item()
        """,
    "a function that steps until it succeeds, for each of several seeds": """
        def update(x):
            is_done = False
            while not is_done:
                step(x)
                is_done = True
        for seed in range(3):
            update(torch.ones(2))
            loss = model(torch.ones(2)).sum()
            loss.item()
        """,
}


def _reads_with_every_batch(checkout: Checkout) -> bool:
    return every_step(checkout.place("loss.item()")) is not None


@pytest.mark.parametrize("code", EVERY_BATCH.values(), ids=EVERY_BATCH)
def test_a_loop_over_batches_trains_where_another_one_repeats_the_step(program: Program, code: str) -> None:
    assert _reads_with_every_batch(program(HEAD + dedent(code)))


@pytest.mark.parametrize("code", NOT_EVERY_BATCH.values(), ids=NOT_EVERY_BATCH)
def test_a_loop_whose_rounds_train_for_long_makes_no_step(program: Program, code: str) -> None:
    assert not _reads_with_every_batch(program(HEAD + dedent(code)))
