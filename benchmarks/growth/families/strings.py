"""Strings that are made of strings: what is folded must not grow without end."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, program, trainer


@family()
def formatted_doubling(n: int) -> Files:
    """Each f-string holds the one before twice."""
    return program("d0 = 'cuda'", each(n, 'd$j = f"{d$i}{d$i}"'), trainer(), f"train(d{n})")


@family()
def added_doubling(n: int) -> Files:
    """Each string is the one before, added to itself."""
    return program("d0 = 'cuda'", each(n, "d$j = d$i + d$i"), trainer(), f"train(d{n})")


@family()
def repeated(n: int) -> Files:
    """Each string is the one before, times ten."""
    return program("d0 = 'cuda'", each(n, "d$j = d$i * 10"), trainer(), f"train(d{n})")


@family()
def percent_formatted(n: int) -> Files:
    """Each string is made of the one before with `%`, and wide."""
    return program("d0 = 'cuda'", each(n, "d$j = '%s%09999d' % (d$i, $i)"), trainer(), f"train(d{n})")


@family()
def formatted(n: int) -> Files:
    """Each string is made of the one before with `format`."""
    return program("d0 = 'cuda'", each(n, "d$j = '{}{}'.format(d$i, d$i)"), trainer(), f"train(d{n})")


@family()
def joined(n: int) -> Files:
    """Each string joins the one before with itself."""
    return program("d0 = 'cuda'", each(n, "d$j = ':'.join([d$i, d$i])"), trainer(), f"train(d{n})")


@family()
def grown(n: int) -> Files:
    """One string grows by a piece a line."""
    return program("d = 'cuda'", each(n, "d += ':$i'"), trainer(), "train(d)")


@family()
def replaced(n: int) -> Files:
    """Each string is the one before, with something replaced."""
    return program("d0 = 'cuda:0'", each(n, "d$j = d$i.replace('$i', '$j').strip().lower()"), trainer(), f"train(d{n})")


@family()
def numbers(n: int) -> Files:
    """Each number is the square of the one before."""
    return program("k0 = 7", each(n, "k$j = k$i ** k$i + k$i * k$i"), trainer(), f"train(torch.device('cuda', k{n}))")


@family()
def shifted(n: int) -> Files:
    """Each number is shifted by the one before."""
    return program("k0 = 7", each(n, "k$j = 1 << k$i"), trainer(), f"train(f'cuda:{{k{n}}}')")


@family()
def paths(n: int) -> Files:
    """Each path is a folder of the one before, and each is saved to."""
    head = "import os\nmodel = nn.Linear(1, 1)"
    return program(
        head,
        "p0 = 'runs'",
        each(n, "p$j = os.path.join(p$i, f'{p$i}_$i')\ntorch.save(model.state_dict(), p$j)"),
        trainer(),
        "train('cuda')",
    )


@family()
def many_devices(n: int) -> Files:
    """Device strings of all kinds, each asked for once."""
    return program(
        each(n, "x$i = torch.ones(4, device=f'cuda:{$i}')\nx$i = x$i.to('cuda:' + str($i))"),
        trainer(),
        "train(x0.device)",
    )


@family(most=DEEPEST)
def long_concatenation(n: int) -> Files:
    """One expression of n strings and names."""
    return program(each(n, "d$i = 'cuda:$i'"), f"d = {' + '.join(each(n, 'd$i'))}", trainer(), "train(d)")


@family()
def device_in_parts(n: int) -> Files:
    """The name of a device is the sum of n strings in one expression."""
    parts = " + ".join(["'cuda'"] * n)
    return program(f"x = torch.zeros(4, device={parts})", "print(x.sum().item())", trainer(), "train(x.device)")
