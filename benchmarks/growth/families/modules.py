"""Modules of many parts, wrapped, moved and handed on."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, listed, program, trainer

_INIT = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
"""
_LAST = """
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 1)
        def forward(self, x):
            return self.fc(x)
"""
_FORWARD = "    def forward(self, x):"


def _trained(model: str = "Net()") -> list[str]:
    return [trainer(model=model), "train('cuda')"]


@family()
def sequential(n: int) -> Files:
    """`nn.Sequential` of n parts."""
    return program("net = nn.Sequential(" + listed(n, "nn.Linear(4, 4)") + ")", _trained("net"))


@family(most=DEEPEST)
def nested_sequential(n: int) -> Files:
    """`nn.Sequential` within `nn.Sequential`."""
    return program(f"net = {'nn.Sequential(nn.ReLU(), ' * n}nn.Linear(4, 4){')' * n}", _trained("net"))


@family()
def sequential_of_sequential(n: int) -> Files:
    """`nn.Sequential` that each holds the one before twice."""
    return program("n0 = nn.Linear(4, 4)", each(n, "n$j = nn.Sequential(n$i, nn.ReLU(), n$i)"), _trained(f"n{n}"))


@family()
def layers(n: int) -> Files:
    """A module of n layers, called one after the other."""
    return program(
        _INIT,
        each(n, "        self.fc$i = nn.Linear(4, 4)"),
        _FORWARD,
        each(n, "        x = self.fc$i(x)"),
        "        return x",
        _trained(),
    )


@family()
def modules_with_keywords(n: int) -> Files:
    """Modules that make and call the next two with what they were passed in `**more`."""
    made = """
        class M$i(nn.Module):
            def __init__(self, **more):
                super().__init__()
                self.a = M$j(**more)
                self.b = M$k(**more)
                self.more = more
            def forward(self, x, **more):
                y = self.a(x.to(self.more['d']), **more)
                z = self.b(y.to(more['d']), **self.more)
                return torch.cat([y, z.to(x.device)])
    """
    last = """
        class Last(nn.Module):
            def __init__(self, d='cuda', **more):
                super().__init__()
                self.fc = nn.Linear(4, 1, device=d)
            def forward(self, x, **more):
                return self.fc(x)
    """
    named = [f"M{n + i} = Last" for i in range(2)]
    trained = trainer(model="M0(d=d)", loss="model(batch, d=d).sum()")
    return program(each(n, made), last, named, trained, "train('cuda')")


@family()
def layers_with_shortcuts(n: int) -> Files:
    """A module of n layers, each of which is given the sum of the two before."""
    steps = each(n, "        x$k = self.fc$i(x$i + x$j)")
    return program(
        _INIT,
        each(n, "        self.fc$i = nn.Linear(4, 4)"),
        _FORWARD,
        "        x0 = x1 = x",
        steps,
        f"        return x{n}",
        _trained(),
    )


@family()
def module_lists(n: int) -> Files:
    """Modules whose parts are in lists that loops fill and call."""
    fills = each(n, "        self.l$i = nn.ModuleList([nn.Linear(4, 4) for _ in range($j)])")
    calls = each(n, "        for part in self.l$i:\n            x = part(x)")
    return program(_INIT, fills, _FORWARD, calls, "        return x", _trained())


@family()
def module_list_appended(n: int) -> Files:
    """A list of modules that is appended to n times."""
    return program(
        _INIT,
        "        self.parts = nn.ModuleList()",
        each(n, "        self.parts.append(nn.Linear(4, $j))"),
        _FORWARD,
        "        for part in self.parts:\n            x = part(x)\n        return x",
        _trained(),
    )


@family()
def plain_lists_of_modules(n: int) -> Files:
    """Modules whose parts are in lists of Python's, which nothing registers."""
    fills = each(n, "        self.l$i = []\n        self.l$i.append(nn.Linear(4, $j))")
    return program(_INIT, fills, _FORWARD, each(n, "        x = self.l$i[0](x)"), "        return x", _trained())


@family()
def modules_in_modules(n: int) -> Files:
    """Modules that each hold the next."""
    made = """
        class N$i(nn.Module):
            def __init__(self):
                super().__init__()
                self.sub = N$j()
            def forward(self, x):
                return self.sub(x)
    """
    last = _LAST.replace("Last", f"N{n}")
    return program(each(n, made), last, _trained("N0()"))


@family()
def modules_with_two_parts(n: int) -> Files:
    """Modules that each hold the next twice, and call both."""
    made = """
        class N$i(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = N$j()
                self.b = N$j()
            def forward(self, x):
                return self.a(x) + self.b(x)
    """
    last = _LAST.replace("Last", f"N{n}")
    return program(each(n, made), last, _trained("N0()"))


@family()
def modules_given_modules(n: int) -> Files:
    """Modules that are each given the one before."""
    kind = """
        class Wrap(nn.Module):
            def __init__(self, inner, d='cuda'):
                super().__init__()
                self.inner = inner.to(d)
            def forward(self, x):
                return self.inner(x)
    """
    return program(kind, "n0 = nn.Linear(4, 1)", each(n, "n$j = Wrap(n$i)"), _trained(f"n{n}"))


@family()
def wrapped(n: int) -> Files:
    """A model that is wrapped in `DataParallel` n times."""
    return program(
        "n0 = nn.Linear(4, 1).cuda()",
        each(n, "n$j = nn.DataParallel(n$i)"),
        _trained(f"n{n}"),
        f"torch.save(n{n}.state_dict(), 'b.pt')",
    )


@family()
def unwrapped(n: int) -> Files:
    """A model that is unwrapped where it is wrapped, n times."""
    return program(
        "net = nn.DataParallel(nn.Linear(4, 1).cuda())",
        each(n, "net = net.module if hasattr(net, 'module') else net"),
        _trained("net"),
        "torch.save(net.state_dict(), 'b.pt')",
    )


@family()
def buffers(n: int) -> Files:
    """A module of n buffers and parameters, all used."""
    made = """
        self.register_buffer('b$i', torch.zeros(4))
        self.p$i = nn.Parameter(torch.zeros(4))
        self.t$i = torch.zeros(4)
    """
    return program(
        _INIT,
        each(n, made, 8),
        _FORWARD,
        each(n, "        x = x + self.b$i * self.p$i + self.t$i"),
        "        return x",
        _trained(),
    )


@family()
def moved(n: int) -> Files:
    """A model that is moved n times, and trained on the way."""
    return program("net = nn.Linear(4, 1)", each(n, "net = net.to('cuda:$i')"), _trained("net"))


@family()
def moved_tensors(n: int) -> Files:
    """Tensors that are each made on the host, moved and read."""
    return program(
        each(
            n,
            """
            x$i = torch.zeros($j)
            x$i = x$i.cuda()
            print((x$i + 1).sum().item())
        """,
        ),
        _trained("nn.Linear(4, 1)"),
    )


@family()
def frozen(n: int) -> Files:
    """Modules that are frozen, thawed and set to evaluate, one a line."""
    return program(
        "net = nn.Linear(4, 1)",
        each(
            n,
            """
            net.requires_grad_($i > 1)
            net.eval()
            for p in net.parameters():
                p.requires_grad = False
        """,
        ),
        _trained("net"),
    )


@family()
def modules_in_dicts(n: int) -> Files:
    """A `ModuleDict` of n modules, called by key."""
    parts = ", ".join(each(n, "'k$i': nn.Linear(4, 4)"))
    return program(
        _INIT,
        f"        self.parts = nn.ModuleDict({{{parts}}})",
        _FORWARD,
        each(n, "        x = self.parts['k$i'](x)"),
        "        return x",
        _trained(),
    )


@family()
def helpers_of_forward(n: int) -> Files:
    """A `forward` that goes through n methods, each of which calls the next twice."""
    steps = each(n, "    def f$i(self, x):\n        return self.f$j(self.f$j(x))")
    return program(
        _INIT,
        "        self.fc = nn.Linear(4, 4)",
        steps,
        f"    def f{n}(self, x):\n        return self.fc(x)",
        _FORWARD,
        "        return self.f0(x)",
        _trained(),
    )
