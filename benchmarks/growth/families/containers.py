"""Lists, dicts and tuples: what is stored in them, and read from them."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, listed, program, trainer, training


@family()
def stores_of_items(n: int) -> Files:
    """Items of one dict, each stored from the next."""
    return program("x = {}", each(n, "x['k$i'] = x.get('k$j', 'cuda')"), trainer(), "train(x['k0'])")


@family()
def stores_of_constants(n: int) -> Files:
    """Items of one dict, each stored under a key of its own, and read."""
    return program(
        "x = {}",
        each(n, "x['k$i'] = 'cuda:$i'"),
        trainer(),
        each(n, "torch.zeros(1, device=x['k$i'])"),
        "train(x['k0'])",
    )


@family()
def stores_by_any_key(n: int) -> Files:
    """Items of one dict, stored under keys that nobody knows."""
    return program("import sys\nx = {}", each(n, "x[sys.argv[$i]] = 'cuda:$i'"), trainer(), "train(x['k0'])")


@family()
def large_dict(n: int) -> Files:
    """A dict of n items, and what it holds under each key."""
    return program(
        "x = {" + listed(n, "'k$i': 'cuda:$i'") + "}",
        each(n, "torch.zeros(1, device=x['k$i'])"),
        trainer(),
        "train(x['k0'])",
    )


@family()
def large_list(n: int) -> Files:
    """A list of n items that is gone through, and read by position."""
    return program(
        "x = [" + listed(n, "'cuda:$i'") + "]",
        "for d in x:\n    torch.zeros(1, device=d)",
        each(n, "torch.ones(1, device=x[$i])"),
        trainer(),
        "train(x[-1])",
    )


@family()
def appended(n: int) -> Files:
    """A list that is appended to n times, and gone through."""
    return program(
        "x = []",
        each(n, "x.append(torch.ones(1, device='cuda:$i'))"),
        "for t in x:\n    print(t.item())",
        trainer(),
        "train(x[0].device)",
    )


@family()
def appended_to_each_other(n: int) -> Files:
    """Lists that are each extended by the next, in a ring."""
    return program(
        each(n, "x$i = ['cuda:$i']"), each(n, "x$i.extend(x$j)\nx$i += x$k", ring=True), trainer(), "train(x0[-1])"
    )


@family()
def updated(n: int) -> Files:
    """A dict that is updated n times."""
    return program("x = {'d': 'cpu'}", each(n, "x.update(d='cuda:$i', k$i=$i)"), trainer(), "train(x['d'])")


@family()
def updated_from_each_other(n: int) -> Files:
    """Dicts that are each updated by the next, in a ring."""
    return program(
        each(n, "x$i = {'d': 'cuda:$i'}"), each(n, "x$i.update(x$j)", ring=True), trainer(), "train(x0['d'])"
    )


@family()
def merged(n: int) -> Files:
    """Dicts that each hold the two before, and something more."""
    return program(
        "x0 = x1 = {'d': 'cuda'}", each(n, "x$k = {**x$i, **x$j, 'k$i': $i}"), trainer(), f"train(x{n}['d'])"
    )


@family()
def joined_lists(n: int) -> Files:
    """Lists that each are the one before and something more."""
    return program("x0 = ['cuda']", each(n, "x$j = x$i + ['cuda:$i']"), trainer(), f"train(x{n}[0])")


@family()
def starred_lists(n: int) -> Files:
    """Lists that each hold the one before twice."""
    return program("x0 = ['cuda']", each(n, "x$j = [*x$i, *x$i]"), trainer(), f"train(x{n}[0])")


@family(most=DEEPEST)
def nested_config(n: int) -> Files:
    """Dicts within dicts, read to the bottom."""
    config = "{'sub': " * n + "{'device': 'cuda'}" + "}" * n
    return program(f"config = {config}", trainer(), "train(config" + "['sub']" * n + "['device'])")


@family()
def config_sections(n: int) -> Files:
    """A dict of n dicts, read section by section."""
    sections = each(n, "    's$i': {'device': 'cuda:$i', 'width': $j, 'path': 'p$i.pt'},")
    reads = "net$i = nn.Linear(config['s$i']['width'], 1).to(config['s$i']['device'])"
    return program("config = {", sections, "}", each(n, reads), trainer(), "train(config['s0']['device'])")


@family()
def nested_in_steps(n: int) -> Files:
    """Dicts that each hold the one before, read to the bottom in steps."""
    return program(
        "x0 = {'d': 'cuda'}",
        each(n, "x$j = {'sub': x$i}"),
        f"y0 = x{n}",
        each(n, "y$j = y$i['sub']"),
        trainer(),
        f"train(y{n}['d'])",
    )


@family()
def doubled_nesting(n: int) -> Files:
    """Tuples that each hold the one before twice."""
    return program(
        "x0 = ('cuda',)",
        each(n, "x$j = (x$i, x$i)"),
        f"y0 = x{n}",
        each(n, "y$j = y$i[0]"),
        trainer(),
        f"train(y{n}[0])",
    )


@family(most=10 * DEEPEST)
def long_subscript(n: int) -> Files:
    """One expression with n subscripts."""
    return program("x = data", trainer(), f"train(x{'[0]' * n}.device)")


@family()
def holds_itself(n: int) -> Files:
    """A list that is put into itself, and read in steps."""
    return program("x = ['cuda']\nx.append(x)", "y0 = x", each(n, "y$j = y$i[1]"), trainer(), f"train(y{n}[0])")


@family()
def setdefaults(n: int) -> Files:
    """A dict that is asked for with defaults, again and again."""
    return program(
        "x = {}", each(n, "d$i = x.setdefault('d', 'cuda:$i')\ntorch.zeros(1, device=d$i)"), trainer(), "train(x['d'])"
    )


@family()
def popped(n: int) -> Files:
    """A list that is popped from as often as it is appended to."""
    return program("x = []", each(n, "x.append('cuda:$i')\nd$i = x.pop()"), trainer(), f"train(d{n - 1})")


@family()
def batches_of_keys(n: int) -> Files:
    """A batch of n entries, moved one by one in a training step."""
    moves = "".join(each(n, "    item['k$i'] = item['k$i'].to(d)\n"))
    text = training(loss="model(item['k0']).sum()").replace(
        "    loss =", f"    item = {{'k0': batch}}\n{moves}    loss ="
    )
    return program("d = 'cuda'", text)


@family()
def state_dict_entries(n: int) -> Files:
    """A state dict that is changed entry by entry, saved and loaded."""
    return program(
        "net = nn.Linear(4, 4)\nstate = net.state_dict()",
        each(n, "state['k$i'] = state.pop('k$j')"),
        "torch.save(state, 'a.pt')\nnet.load_state_dict(state)",
        trainer(),
        "train('cuda')",
    )


@family()
def zipped(n: int) -> Files:
    """Lists that are each zipped, sorted or reversed from the one before."""
    return program(
        "x0 = ['cuda', 'cpu']",
        each(n, "x$j = [a for a, _ in zip(reversed(x$i), enumerate(x$i))]"),
        trainer(),
        f"train(x{n}[0])",
    )


@family()
def rows(n: int) -> Files:
    """A table of n rows in one statement, each with a device."""
    return program("x = [" + listed(n, "($i, 'cuda')") + "]", trainer(), "train(x[0][1])")
