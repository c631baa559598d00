"""Projects of n files that import each other."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import HEAD, each, program, text, trainer


def _project(n: int, template: str, more: Files, *, ring: bool = False) -> Files:
    """Return one file for each number, and more by name."""
    files = {f"m{i}": part for i, part in enumerate(each(n, template, ring=ring))} | more
    return {f"{name}.py": text(HEAD, part) for name, part in files.items()}


@family()
def import_chain(n: int) -> Files:
    """Files that each import a name from the next."""
    return _project(
        n,
        "from m$j import d\ntorch.zeros(1, device=d)",
        {f"m{n}": "d = 'cuda'", "main": f"from m0 import d\n{trainer()}\ntrain(d)"},
    )


@family()
def import_ring(n: int) -> Files:
    """Files in a ring that each import the next two, and call them."""
    calls = """
        import m$j
        import m$k
        from main import train
        def f(d):
            train(d)
            m$j.f(d)
            m$k.f(d)
    """
    return _project(n, calls, {"main": f"import m0\n{trainer()}\nm0.f('cuda')"}, ring=True)


@family()
def import_ring_of_names(n: int) -> Files:
    """Files in a ring that each import what the next two bind."""
    names = """
        from m$j import d$j
        from m$k import d$k
        d$i = d$j or d$k
    """
    return _project(n, names, {"main": f"from m0 import d0\n{trainer()}\ntrain(d0)"}, ring=True)


@family()
def star_imports(n: int) -> Files:
    """Files that each import all of the next, and add a name."""
    return _project(
        n,
        "from m$j import *\nd$i = 'cuda:$i'\ntorch.zeros(1, device=d)",
        {f"m{n}": "d = 'cuda'", "main": f"from m0 import *\n{trainer()}\ntrain(d)"},
    )


@family()
def star_import_ring(n: int) -> Files:
    """Files in a ring that each import all of the next two."""
    return _project(
        n,
        "from m$j import *\nfrom m$k import *\nd$i = 'cuda'\nx = torch.zeros(1, device=d0)",
        {"main": f"from m0 import *\n{trainer()}\ntrain(d0)"},
        ring=True,
    )


@family()
def star_import_ring_of_functions(n: int) -> Files:
    """Files in a ring that import all of the next two, and call what the next defines."""
    calls = """
        from m$j import *
        from m$k import *
        def f$i(x):
            return f$j(x + $i)
    """
    main = f"from m0 import *\n{trainer()}\ntrain('cuda')\nfor batch in data:\n    f0(batch.cuda()).item()"
    return _project(n, calls, {"main": main}, ring=True)


@family()
def star_import_ring_of_tensors(n: int) -> Files:
    """Files in a ring that import all of the next two, and move a tensor each."""
    moved = """
        import torch
        from m$j import *
        from m$k import *
        x$i = torch.zeros(4).cuda()
        print((x$i + x$j).sum().item())
    """
    return _project(
        n,
        moved,
        {"main": f"from m0 import *\n{trainer()}\ntrain(x0.device)"},
        ring=True,
    )


@family()
def star_imports_in_one(n: int) -> Files:
    """One file that imports all of n others."""
    stars = "\n".join(each(n, "from m$i import *"))
    return _project(
        n,
        "d$i = 'cuda:$i'\ndef f$i(d=d$i):\n    return torch.zeros(1, device=d)",
        {"main": f"{stars}\n{trainer()}\ntrain(d0)\nprint(f0().item())"},
    )


@family()
def calls_across_files(n: int) -> Files:
    """Functions that each call the one in the next file."""
    return _project(
        n,
        "from m$j import f as next\ndef f(d):\n    return next(d)",
        {f"m{n}": trainer("f"), "main": "from m0 import f\nf('cuda')"},
    )


@family()
def classes_across_files(n: int) -> Files:
    """Classes that each inherit from the one in the next file."""
    root = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 1)
            def forward(self, x):
                return self.fc(x)
    """
    return _project(
        n,
        "import m$j\nclass Net(m$j.Net):\n    def forward(self, x):\n        return super().forward(x)",
        {f"m{n}": root, "main": f"from m0 import Net\n{trainer(model='Net()')}\ntrain('cuda')"},
    )


@family()
def many_users(n: int) -> Files:
    """Files that all import and call one function."""
    return _project(n, "from main import train\ndef run():\n    train('cuda:$i')\nrun()", {"main": trainer()})


@family()
def many_scripts(n: int) -> Files:
    """Files that each train, and have nothing to do with each other."""
    return _project(n, f"{trainer()}\ntrain('cuda:$i')", {})


@family()
def reexports(n: int) -> Files:
    """Packages within packages, whose `__init__` each hand on what the next has."""
    folders = ["/".join(["pkg", *["sub"] * i]) for i in range(n)]
    files = {f"{folder}/__init__.py": text(HEAD, "from .sub import d, train") for folder in folders}
    files[f"{folders[-1]}/sub.py"] = text(HEAD, "d = 'cuda'", trainer())
    return files | {"main.py": text(HEAD, "import pkg\npkg.train(pkg.d)")}


@family()
def imports_that_may_fail(n: int) -> Files:
    """Imports with another to fall back on, one below the other, in one file."""
    tries = """
        try:
            from lib$i import load$i as load
        except ImportError:
            from torch import load
    """
    return program(each(n, tries), "x = load('a.pt')", trainer(), "train(x.device)")


@family()
def imports_in_functions(n: int) -> Files:
    """Functions that each import what they call from another file."""
    return _project(
        n,
        "def f(d):\n    from m$j import f\n    return f(d)",
        {f"m{n}": trainer("f"), "main": "from m0 import f\nf('cuda')"},
    )


@family()
def many_imports(n: int) -> Files:
    """One file with n imports, each used."""
    return program(each(n, "import lib$i"), each(n, "lib$i.run(torch.ones(1).cuda())"), trainer(), "train('cuda')")


@family()
def namespaces_of_one_name(n: int) -> Files:
    """Files that each give a namespace a device by the same name, which all of them read."""
    file = """
        from types import SimpleNamespace
        from m$j import made as other
        made = SimpleNamespace(type='cuda')
        def place(batch, like=made):
            return batch.to(like.type) if batch.device.type == like.type else batch.to(other.type)
    """
    return _project(n, file, {"main": f"from m0 import made\n{trainer()}\ntrain(made.type)"}, ring=True)


@family()
def keywords_ring_of_files(n: int) -> Files:
    """Files in a ring whose function passes its `**kwargs` to those of the next two."""
    one = {
        f"m{i}.py": text(
            f"from m{(i + 1) % n} import f{(i + 1) % n}\nimport m{(i + 2) % n} as other\nfrom work import train",
            f"def f{i}(**kw):\n    train(**kw)\n    f{(i + 1) % n}(**kw)\n    other.f{(i + 2) % n}(**kw)",
        )
        for i in range(n)
    }
    return {
        **one,
        "work.py": text(HEAD, trainer(parameters="d='cuda'")),
        "main.py": text("from m0 import f0", "f0(d='cuda')"),
    }


@family()
def class_ring_of_files(n: int) -> Files:
    """Files in a ring whose class makes objects of the next two, imported where they are made."""
    made = """
        def other():
            from m$j import C$j
            return C$j
        class C$i(nn.Module):
            def __init__(self, d):
                super().__init__()
                from m$k import C$k
                self.inner = C$k(d)
                self.other = other()(d)
                self.d = d
            def forward(self, x):
                return self.inner(x) + self.other(x).to(self.d)
    """
    files = {f"m{i}.py": text(HEAD, one) for i, one in enumerate(each(n, made, ring=True))}
    return {**files, "main.py": text(HEAD, "from m0 import C0", trainer(model="C0(d)"), "train('cuda')")}
