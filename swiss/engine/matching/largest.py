"""A matching of maximum size in a general graph whose neighbourhoods are bit sets."""

from __future__ import annotations

from collections.abc import Sequence


def largest_matching(neighbours: Sequence[int], size: int, mate: list[int] | None = None) -> list[int]:
    """Return partners (−1: none) in a matching with as many edges as possible.

    `neighbours[v]` is a bit set (bit u: v and u may be matched). A given `mate` is improved.
    """
    mate = [-1] * size if mate is None else list(mate)
    free = sum(1 << v for v in range(size) if mate[v] < 0)
    for v in sorted(range(size), key=lambda vertex: neighbours[vertex].bit_count()):
        if mate[v] < 0 and (choices := neighbours[v] & free & ~(1 << v)):
            u = (choices & -choices).bit_length() - 1
            mate[v], mate[u] = u, v
            free &= ~(1 << v | 1 << u)
    for v in range(size):
        if mate[v] < 0:
            _augment_from(v, neighbours, size, mate)
    return mate


def _augment_from(root: int, neighbours: Sequence[int], size: int, mate: list[int]) -> bool:
    """Search an augmenting path from a free vertex (breadth first, cycles shrunk by their base)."""
    base = list(range(size))
    parent = [-1] * size
    outer = [False] * size
    outer[root] = True
    queue = [root]
    for v in queue:
        choices = neighbours[v]
        while choices:
            low = choices & -choices
            choices ^= low
            u = low.bit_length() - 1
            if base[v] == base[u] or mate[v] == u:
                continue
            if u == root or (mate[u] >= 0 and parent[mate[u]] >= 0):
                stem = _common_base(v, u, base, parent, mate)
                in_cycle = [False] * size
                _mark_path(v, stem, u, base, parent, mate, in_cycle)
                _mark_path(u, stem, v, base, parent, mate, in_cycle)
                for w in range(size):
                    if in_cycle[base[w]]:
                        base[w] = stem
                        if not outer[w]:
                            outer[w] = True
                            queue.append(w)
            elif parent[u] < 0:
                parent[u] = v
                if mate[u] < 0:
                    _flip(u, parent, mate)
                    return True
                outer[mate[u]] = True
                queue.append(mate[u])
    return False


def _common_base(v: int, u: int, base: list[int], parent: list[int], mate: list[int]) -> int:
    passed = set()
    while True:
        v = base[v]
        passed.add(v)
        if mate[v] < 0:
            break
        v = parent[mate[v]]
    while base[u] not in passed:
        u = parent[mate[base[u]]]
    return base[u]


def _mark_path(
    v: int, stem: int, child: int, base: list[int], parent: list[int], mate: list[int], in_cycle: list[bool]
) -> None:
    while base[v] != stem:
        in_cycle[base[v]] = in_cycle[base[mate[v]]] = True
        parent[v] = child
        child = mate[v]
        v = parent[mate[v]]


def _flip(u: int, parent: list[int], mate: list[int]) -> None:
    while u >= 0:
        v = parent[u]
        after = mate[v]
        mate[u], mate[v] = v, u
        u = after
