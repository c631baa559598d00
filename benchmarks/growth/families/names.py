"""Names that stand for each other, and names that are bound again and again."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, listed, program, trainer, training


@family()
def rebound_tensor(n: int) -> Files:
    """One name is bound to n tensors."""
    return program(each(n, "x = torch.ones(3, device='cuda')"), trainer(), "train(x.device)")


@family()
def rebound_from_itself(n: int) -> Files:
    """One name is bound to what it was, n times."""
    return program(
        "x = torch.ones(3, device='cuda')", each(n, "x = x + $i"), trainer(), "train(x.device)", "print(x.sum().item())"
    )


@family()
def rebound_in_a_function(n: int) -> Files:
    """A local name is bound to what another was, in turn."""
    return program("def run(d, e):", each(n, "    d, e = e, d"), *_in_function(), "run('cuda', 'cpu')")


@family()
def rebound_globals(n: int) -> Files:
    """A global is bound by n functions, and read by one."""
    return program(
        "d = 'cpu'",
        each(
            n,
            """
            def f$i():
                global d
                d = 'cuda:$i'
        """,
        ),
        trainer(parameters=""),
        "train()",
    )


@family()
def globals_of_globals(n: int) -> Files:
    """Functions that store a global from the next global."""
    stores = """
        def f$i():
            global d$i
            d$i = d$j or d$k
    """
    return program(trainer(), each(n, stores, ring=True), "d0 = 'cuda'", "train(d0)")


@family()
def aliases(n: int) -> Files:
    """A name for a name, n deep."""
    return program("d0 = 'cuda'", each(n, "d$j = d$i"), trainer(), f"train(d{n})")


@family()
def aliases_of_two(n: int) -> Files:
    """A name for one of two names, n deep."""
    return program("d0 = d1 = 'cuda'", each(n, "d$k = d$j or d$i"), trainer(), f"train(d{n})")


@family()
def aliases_of_modules(n: int) -> Files:
    """A name for what torch is, n deep."""
    return program(
        "t0 = torch", each(n, "t$j = t$i"), f"x = t{n}.zeros(1, device='cuda')", trainer(), "train(x.device)"
    )


@family()
def aliases_from_the_end(n: int) -> Files:
    """Functions that read globals which are bound below, each from the next."""
    return program(
        trainer(),
        "def main():\n    train(d0)",
        each(n, "def f$i():\n    return d$i"),
        each(n, "d$i = f$j()"),
        f"def f{n}():\n    return 'cuda'",
        "main()",
    )


@family()
def walrus_chain(n: int) -> Files:
    """Names bound within an expression, each from the one before."""
    return program("d0 = 'cuda'", "found = [" + listed(n, "(d$j := d$i)") + "]", trainer(), f"train(d{n})")


@family()
def wide_unpacking(n: int) -> Files:
    """A tuple of n is unpacked into n names."""
    left, right = listed(n, "d$i"), listed(n, "'cuda:$i'")
    return program(f"{left} = {right}", each(n, "torch.zeros(1, device=d$i)"), trainer(), "train(d0)")


@family()
def starred_unpacking(n: int) -> Files:
    """The rest of a tuple is unpacked, again and again."""
    return program(
        "rest = [" + listed(n, "'cuda:$i'") + "]", each(n, "d$i, *rest = rest"), trainer(), f"train(d{n - 1})"
    )


@family()
def chained_targets(n: int) -> Files:
    """One value for n names at once."""
    return program(
        f"{' = '.join(each(n, 'd$i'))} = 'cuda'", each(n, "torch.zeros(1, device=d$i)"), trainer(), "train(d0)"
    )


@family()
def augmented(n: int) -> Files:
    """One name is added to, n times."""
    return program(
        "x = torch.ones(4, device='cuda')", each(n, "x += x * $i"), trainer(), "train(x.device)", "print(x.item())"
    )


@family()
def augmented_loss(n: int) -> Files:
    """A loss is added to, n times in a step."""
    terms = "".join(each(n, "    loss += model(batch).pow($i).sum()\n"))
    text = training().replace("    optimizer.zero_grad()\n", f"{terms}    optimizer.zero_grad()\n")
    return program("d = 'cuda'", text)


@family()
def deleted(n: int) -> Files:
    """A name is bound, used and deleted, n times."""
    return program(
        each(
            n,
            """
        x = torch.ones($j, device='cuda')
        print(x.item())
        del x
    """,
        ),
        trainer(),
        "train('cuda')",
    )


@family(most=DEEPEST)
def long_sum(n: int) -> Files:
    """A sum of n terms that are each named before."""
    return program(
        each(n, "x$i = torch.ones(1, device='cuda')"), f"x = {' + '.join(each(n, 'x$i'))}", trainer(), "train(x.device)"
    )


@family()
def doubled_names(n: int) -> Files:
    """Each name is the sum of the one before with itself."""
    return program("x0 = torch.ones(1, device='cuda')", each(n, "x$j = x$i + x$i"), trainer(), f"train(x{n}.device)")


def _in_function() -> list[str]:
    return ["    " + line for line in training().splitlines()]


@family()
def chained_moves(n: int) -> Files:
    """One tensor that is moved n times in one expression."""
    moves = ".to(d)" * n
    return program("d = 'cuda'", f"x = torch.zeros(4){moves}", "print(x.sum().item())", trainer(), "train(d)")


@family()
def long_lambda(n: int) -> Files:
    """A lambda that adds its parameter to itself n times."""
    return program("add = lambda x: x" + " + x" * n, trainer(), "train(add(torch.zeros(4).cuda()).device)")


@family()
def running_totals(n: int) -> Files:
    """One total to which n tensors are added that are each made for it."""
    return program(
        "total = torch.zeros(4, device='cuda')",
        each(n, "x$i = torch.ones(4).cuda() * $i\ntotal += x$i"),
        trainer(),
        "train(total.device)",
        "print(total.sum().item())",
    )


@family()
def unpacked_at_once(n: int) -> Files:
    """Names that are bound in one statement, each to a moved tensor."""
    targets = listed(n, "a$i")
    return program("x = torch.ones(1)", f"{targets} = {listed(n, 'x.cuda()')}", trainer(), "train(a0.device)")
