"""What objects have under a name: stored by their methods, and from outside."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, indented, program, trainer, training

_ON_SELF = indented(training("self.d0"), 8)


@family()
def attribute_ring(n: int) -> Files:
    """Methods that each store one attribute from the next two, in a ring."""
    stores = each(n, "    def f$i(self):\n        self.d$i = self.d$j or self.d$k", ring=True)
    return program("class C:", stores, f"    def run(self):\n{_ON_SELF}", "C().run()")


@family()
def attribute_chain(n: int) -> Files:
    """Attributes that the constructor stores, each from the one before."""
    stores = each(n, "        self.d$j = self.d$i")
    return program(
        "class C:\n    def __init__(self, d):\n        self.d0 = d",
        stores,
        f"    def run(self):\n{indented(training(f'self.d{n}'), 8)}",
        "C('cuda').run()",
    )


@family()
def attribute_rebound(n: int) -> Files:
    """Methods that all store one attribute."""
    stores = each(n, "    def f$i(self):\n        self.d0 = 'cuda:$i'")
    return program("class C:", stores, f"    def run(self):\n{_ON_SELF}", "C().run()")


@family()
def attribute_rebound_in_place(n: int) -> Files:
    """A constructor that stores one attribute n times, from what it was."""
    stores = each(n, "        self.d0 = self.d0 if d == $i else 'cuda:$i'")
    return program(
        """
            class C:
                def __init__(self, d):
                    self.d0 = d
        """,
        stores,
        f"    def run(self):\n{_ON_SELF}",
        "C('cuda').run()",
    )


@family()
def attributes_rebound_by_methods(n: int) -> Files:
    """Methods that each rebind the same three attributes, by what the next method returns."""
    head = """
        class Net(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.d = d
                self.fc = nn.Linear(4, 1)
                self.a = self.b = self.c = torch.zeros(4, device=d)
    """
    made = """
        def m$i(self, x):
            self.a = self.a.to(self.d)
            self.b = self.m$j(self.a)
            self.c = self.b
            return self.c
    """
    last = f"    def m{n}(self, x):\n        return x\n    def forward(self, x):\n        return self.fc(self.m0(x))"
    return program(head, each(n, made, 4), last, trainer(model="Net(d)"), "train('cuda')")


@family()
def attributes_from_methods(n: int) -> Files:
    """Attributes that are each stored from a method which reads the next."""
    stores = each(n, "    def f$i(self):\n        self.d$i = self.f$j()\n        return self.d$i")
    return program(
        "class C:",
        stores,
        f"    def f{n}(self):\n        return 'cuda'",
        f"    def run(self):\n        self.f0()\n{_ON_SELF}",
        "C().run()",
    )


@family()
def attributes_from_outside(n: int) -> Files:
    """Attributes of one object that are stored from outside, each from the one before."""
    return program("class C:\n    d0 = 'cuda'", "c = C()", each(n, "c.d$j = c.d$i"), trainer(), f"train(c.d{n})")


@family()
def objects_in_objects(n: int) -> Files:
    """Objects that each hold the one before, read to the bottom in steps."""
    made = """
        class C:
            def __init__(self, sub, d):
                self.sub = sub
                self.d = d
    """
    return program(
        made,
        "c0 = C(None, 'cuda')",
        each(n, "c$j = C(c$i, c$i.d)"),
        f"y0 = c{n}",
        each(n, "y$j = y$i.sub"),
        trainer(),
        f"train(y{n}.d)",
    )


@family(most=900)
def long_attribute(n: int) -> Files:
    """One expression with n attributes of a list that links itself."""
    return program(
        """
            class C:
                d = 'cuda'
                def __init__(self):
                    self.sub = self
        """,
        trainer(),
        f"train(C(){'.sub' * n}.d)",
    )


@family()
def linked_objects(n: int) -> Files:
    """Objects in a ring that each hold the next, with a device taken from it."""
    return program(
        """
            class C:
                sub = None
                d = 'cuda'
        """,
        each(n, "c$i = C()"),
        each(n, "c$i.sub = c$j\nc$i.d = c$j.d", ring=True),
        trainer(),
        "train(c0.sub.d)",
    )


@family()
def recursive_attributes(n: int) -> Files:
    """Methods that walk down through attributes and call each other there."""
    made = each(n, "    def f$i(self):\n        return self.sub.f$j() if self.sub else self.d", ring=True)
    return program(
        trainer(),
        """
            class C:
                def __init__(self, sub=None):
                    self.sub, self.d = sub, 'cuda'
        """,
        made,
        "train(C(C()).f0())",
    )


@family()
def setattr_by_name(n: int) -> Files:
    """Attributes that are set and read by names in strings."""
    return program(
        "class C:\n    d0 = 'cuda'",
        "c = C()",
        each(n, "setattr(c, 'd$j', getattr(c, 'd$i'))"),
        trainer(),
        f"train(getattr(c, 'd{n}'))",
    )


@family()
def getattr_of_modules(n: int) -> Files:
    """Classes of torch that are picked by names in strings."""
    return program(
        "import sys\nmodel = nn.Linear(4, 1).cuda()",
        each(n, "o$i = getattr(torch.optim, sys.argv[$i])(model.parameters())\no$i.step()"),
        trainer(),
        "train('cuda')",
    )


@family()
def namespaces(n: int) -> Files:
    """A namespace that is given n attributes, each of which is read."""
    return program(
        "from types import SimpleNamespace\ncfg = SimpleNamespace()",
        each(n, "cfg.d$i = 'cuda:$i'"),
        each(n, "torch.zeros(1, device=cfg.d$i)"),
        trainer(),
        "train(cfg.d0)",
    )


@family()
def attributes_swapped(n: int) -> Files:
    """Methods that each swap two attributes with a local name between."""
    made = each(
        n, "    def f$i(self):\n        d = self.d$i\n        self.d$i = self.d$j\n        self.d$j = d", ring=True
    )
    return program("class C:\n    d0 = 'cuda'", made, f"    def run(self):\n{_ON_SELF}", "C().run()")


@family()
def callers_of_methods(n: int) -> Files:
    """Functions that each make an object and call one method of it."""
    kind = f"class C:\n    def __init__(self, d):\n        self.d0 = d\n    def run(self):\n{_ON_SELF}"
    return program(
        kind,
        each(
            n,
            """
        def f$i():
            c = C('cuda:$i')
            c.run()
        f$i()
    """,
        ),
    )


@family()
def models_as_attributes(n: int) -> Files:
    """Trainers that each hold a model, and are held by the next."""
    made = """
        class T$i:
            def __init__(self, inner):
                self.model = nn.DataParallel(inner.model)
                self.inner = inner
    """
    return program(
        "class T:\n    model = nn.Linear(4, 1).cuda()",
        each(n, made),
        "t = T()",
        each(n, "t = T$i(t)"),
        trainer(model="t.model"),
        "train('cuda')",
    )
