"""Copies that something takes on the host alone are told as what they are: slow, and hard to do without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint import Severity

_HEAD = """\
import cv2
import gym
import gymnasium
import numpy as np
import torch
from mpi4py import MPI
from scipy.optimize import linear_sum_assignment
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

def taken(env, value):
    return env.step(value)

def sampled(policy, state):
    return torch.multinomial(policy(state.cuda()), 1).item()

def train(policy, optimizer, loader, name):
    env = gymnasium.make(name)
    world = MPI.COMM_WORLD
    for state, lengths in loader:
        probs = policy(state.cuda())
        action = torch.multinomial(probs, 1)
        """
_TAIL = """
        loss = probs.log().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
NEEDED = {
    "an action": ("env.step(action.item())", "env.step"),
    "an action that is unpacked": ("state, reward, *_ = env.step(action.cpu().numpy()[0])", "env.step"),
    "an action that has a name": ("chosen = action.cpu().numpy()\n        env.step(chosen)", "env.step"),
    "an action that NumPy clips": ("env.step(np.clip(action.detach().cpu().numpy(), 0, 1))", "env.step"),
    "an action with noise": ("env.step(action.cpu().numpy() + np.random.randn())", "env.step"),
    "an action with noise that has a name": (
        "chosen = np.clip(action.cpu().numpy() + 0.1, a_min=0, a_max=1)\n        env.step(chosen)",
        "env.step",
    ),
    "an action that noise is added to": (
        "chosen = action.cpu().numpy()\n        chosen += np.random.randn()\n        env.step(chosen)",
        "env.step",
    ),
    "an action for an environment of unknown making": (
        "it = made(name)\n        state, reward, done, _ = it.step(action.item())",
        "it.step",
    ),
    "an action that another function takes": ("chosen = action.item()\n        taken(env, chosen)", "env.step"),
    "an action that another function samples": ("env.step(sampled(policy, state))", "env.step"),
    "actions of several environments": (
        "gym.vector.SyncVectorEnv([name]).step(action.cpu().numpy())",
        "step",
    ),
    "costs": ("linear_sum_assignment(probs.detach().cpu())", "linear_sum_assignment"),
    "lengths": ("pack_padded_sequence(probs, action.cpu(), batch_first=True)", "pack_padded_sequence"),
    "lengths by their keyword": ("pack_padded_sequence(probs, lengths=action.cpu())", "pack_padded_sequence"),
    "lengths as a list": ("pack_padded_sequence(probs, action.tolist())", "pack_padded_sequence"),
    "a picture for a codec": ('cv2.imencode(".jpg", probs.cpu().numpy())', "cv2.imencode"),
    "a message": ("world.Allreduce(MPI.IN_PLACE, probs.detach().cpu().numpy())", "world.Allreduce"),
}
NOT_NEEDED = {
    "a print": "print(action.item())",
    "an environment of unknown making": "made(name).step(action.item())",
    "the input of a packed sequence": "pack_padded_sequence(probs.cpu(), lengths)",
    "a picture that is written": 'cv2.imwrite("a.png", probs.cpu().numpy())',
    "what a network makes an action of": "env.step(policy(state, action.item()))",
    "an optimizer": "optimizer.step(action.item())",
    "what returns two things": "loss, norm = made(name).step(action.item())",
    "a test beside it": "env.step(0) if action.item() else env.step(1)",
}


def found(checkout: Checkout) -> list[tuple[Severity, str]]:
    """Return how grave the reads and copies of a program are, and what to do about them."""
    findings = [*checkout.findings("item-in-training-loop"), *checkout.findings("host-copy-in-training-loop")]
    return [(one.severity, one.message.partition("; ")[2]) for one in findings]


@pytest.mark.parametrize(("code", "taker"), NEEDED.values(), ids=NEEDED)
def test_what_is_needed_on_the_host_is_no_warning(program: Callable[[str], Checkout], code: str, taker: str) -> None:
    assert found(program(_HEAD + code + _TAIL)) == [
        (Severity.INFO, f"`{taker}` needs it on the host, so batch such calls")
    ]


@pytest.mark.parametrize("code", NOT_NEEDED.values(), ids=NOT_NEEDED)
def test_what_is_only_looked_at_there_is_one(program: Callable[[str], Checkout], code: str) -> None:
    (one,) = found(program(_HEAD + code + _TAIL))

    assert one[0] is Severity.WARNING
