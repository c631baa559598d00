"""Loops: one after the other, in each other, and in comprehensions."""

from __future__ import annotations

from math import isqrt

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, nested, program, trainer, training


@family(most=DEEPEST)
def nested_fors(n: int) -> Files:
    """Loops within loops, around a training."""
    return program("d = 'cuda'", nested(n, "for a$i in range(2):", training()))


@family(most=DEEPEST)
def nested_loaders(n: int) -> Files:
    """Loops over loaders within loops over loaders, each with the batch of the one around."""
    body = """
        loss = model(b0).sum()
        loss.backward()
        print(loss.item())
    """
    return program("model = nn.Linear(4, 1).cuda()", nested(n, "for b$j in DataLoader(data, batch_size=2):", body))


@family(most=DEEPEST)
def nested_whiles(n: int) -> Files:
    """While loops within while loops."""
    return program("d = 'cuda'", nested(n, "while d != 'cpu:$i':", training()))


@family()
def fors_in_a_row(n: int) -> Files:
    """Loops one below the other that bind one name."""
    return program("d = 'cpu'", each(n, "for a in range($i):\n    d = d if a else 'cuda'"), trainer(), "train(d)")


@family()
def whiles_in_a_row(n: int) -> Files:
    """While loops one below the other that bind one name, with breaks and else."""
    loops = """
        while d:
            if d == 'cuda:$i':
                break
            d = 'cuda:$i'
        else:
            d = 'cpu'
    """
    return program("d = 'cpu'", each(n, loops), trainer(), "train(d)")


@family()
def state_machine(n: int) -> Files:
    """One endless loop over n states that each go to another."""
    states = each(n, "    elif state == $i:\n        state, d = $j, 'cuda:$i'")
    return program(
        "state, d = 0, 'cuda'",
        """
            while True:
                if state < 0:
                    break
        """,
        states,
        trainer(),
        "train(d)",
    )


@family()
def rotating_in_a_loop(n: int) -> Files:
    """Names that each take over the next within a loop."""
    return program(
        each(n, "d$i = 'cuda:$i'"), "for a in range(9):", each(n, "    d$i = d$j", ring=True), trainer(), "train(d0)"
    )


@family()
def rotating_tensors(n: int) -> Files:
    """Tensors that are each made of the next within a training step."""
    moves = "".join(each(n, "    x$i = x$j + batch\n", ring=True))
    return program(
        "d = 'cuda'",
        each(n, "x$i = torch.zeros(4, device='cuda')"),
        training().replace("    optimizer.zero_grad()\n", f"{moves}    optimizer.zero_grad()\n"),
    )


@family()
def trainings_in_a_row(n: int) -> Files:
    """Training loops one below the other, of one model."""
    loops = """
        for batch in DataLoader(data, batch_size=$j):
            loss = model(batch.cuda()).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(loss.item())
    """
    return program(
        "model = nn.Linear(4, 1).cuda()\noptimizer = torch.optim.SGD(model.parameters(), lr=1.0)", each(n, loops)
    )


@family()
def long_step(n: int) -> Files:
    """A training step of n lines that each make one tensor of the one before."""
    lines = "".join(each(n, "    x$j = (x$i * $i).relu()\n"))
    return program(
        "d = 'cuda'", training().replace("    loss =", f"    x0 = batch\n{lines}    loss ="), f"print(x{n}.item())"
    )


@family()
def reads_in_a_step(n: int) -> Files:
    """A training step that reads the loss n times."""
    return program(
        "d = 'cuda'",
        training().replace("    print(", "\n".join(each(n, "    print(loss.item() / $j)")) + "\n    print("),
    )


@family()
def throttles(n: int) -> Files:
    """Reads in a training step, each behind a test of its own."""
    tests = "\n".join(each(n, "    if step % $j == 0 and total > $i:\n        print(loss.item())"))
    return program("d = 'cuda'\nstep = 0", training().replace("    print(", f"    step += 1\n{tests}\n    print("))


@family()
def kept_in_a_loop(n: int) -> Files:
    """Lists that each keep something of every step."""
    kept = "\n".join(each(n, "    kept$i.append(loss)"))
    return program(
        "d = 'cuda'",
        each(n, "kept$i = []"),
        training().replace("    print(", f"{kept}\n    print("),
        each(n, "print(torch.stack(kept$i).mean())"),
    )


@family()
def accumulators(n: int) -> Files:
    """Sums that each grow by the one before, in every step."""
    sums = "\n".join(each(n, "    s$j += s$i * loss"))
    return program("d = 'cuda'\ns0 = 1", each(n, "s$j = 0"), training().replace("    print(", f"{sums}\n    print("))


@family()
def breaks_and_continues(n: int) -> Files:
    """A training step with n ways to leave it early."""
    ways = "".join(f"    if total > {i}:\n        {'continue' if i % 2 else 'break'}\n" for i in range(n))
    return program("d = 'cuda'", training().replace("    loss =", f"{ways}    loss ="))


@family(most=DEEPEST)
def nested_comprehensions(n: int) -> Files:
    """A comprehension within a comprehension, n deep."""
    rows = f"{'[' * n}d{''.join(each(n, ' for a$i in range(2)]'))}"
    return program("d = 'cuda'", f"rows = {rows}", trainer(), f"train(rows{'[0]' * n})")


@family()
def comprehensions_in_a_row(n: int) -> Files:
    """Comprehensions that each go through the one before."""
    return program(
        "c0 = ['cuda', 'cpu']", each(n, "c$j = [d for d in c$i if d != 'cuda:$i']"), trainer(), f"train(c{n}[0])"
    )


@family()
def comprehension_of_many_fors(n: int) -> Files:
    """One comprehension with n loops, each over what the one before yields."""
    return program(
        "a0 = [['cuda']]", f"found = [a{n} {''.join(each(n, ' for a$j in a$i'))}]", trainer(), "train(found[0])"
    )


@family()
def loops_of_functions(n: int) -> Files:
    """Loops within functions that are called from the loop of the one before."""
    calls = """
        def f$i(d):
            for a in range(3):
                f$j(d)
    """
    return program(each(n, calls), trainer(f"f{n}"), "f0('cuda')")


@family()
def grid_of_loops(n: int) -> Files:
    """Functions that each run several loops over the same loader."""
    count = max(2, isqrt(n))
    loops = "\n".join(
        f"    for batch in loader:\n        print(net(batch.cuda()).sum().item(), {j})" for j in range(count)
    )
    return program(
        "loader = DataLoader(data)\nnet = nn.Linear(4, 1).cuda()",
        each(count, f"def f$i(net):\n{loops}\nf$i(net)"),
        trainer(),
        "train('cuda')",
    )


@family()
def sum_of_losses(n: int) -> Files:
    """A loop whose loss is a sum of n, each of the same batch."""
    losses = " + ".join(["model(batch).sum()"] * n)
    return program(trainer(loss=losses), "train('cuda')")


@family()
def trainings_and_evaluations(n: int) -> Files:
    """Loops that train and loops that evaluate in turn, each a batch that it moves item by item."""
    turns = """
        model.train()
        for batch in loader:
            batch = {key: value.to(d) for key, value in batch.items()}
            batch["n"] = $i
            loss = model(batch["x"]).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for batch in loader:
                batch["x"] = batch["x"].to(d)
                total += model(batch["x"]).sum().item()
    """
    head = "d = 'cuda'\nloader = DataLoader(data, batch_size=2)\nmodel = nn.Linear(4, 1).to(d)\ntotal = 0"
    return program(head, "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", each(n, turns), "print(total)")


@family()
def evaluation_loops(n: int) -> Files:
    """Loops that evaluate, one below the other, and add to one total."""
    loops = """
        model.eval()
        with torch.no_grad():
            for batch in loader:
                x, y = batch
                total += (model(x.to(d)) == y.to(d)).sum().item()
        print(total / $j)
    """
    head = "d = 'cuda'\nloader = DataLoader(data, batch_size=2)\nmodel = nn.Linear(4, 1).to(d)\ntotal = 0"
    return program(head, each(n, loops), trainer(), "train(d)")
