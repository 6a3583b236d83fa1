"""The heaviest perfect matching in a general graph: Edmonds' blossom algorithm, primal-dual, with duals of any length.

A weight can hold a whole list of criteria, one bit field each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

Edge = tuple[int, int]
NOWHERE: Final = (-1, -1)
_FREE, _OUTER, _INNER = 0, 1, 2


def best_perfect_matching(weights: Sequence[Mapping[int, int]]) -> list[int] | None:
    """Return each vertex's partner in a perfect matching of maximum weight, or None when there is no perfect matching.

    `weights[v]` maps every neighbour of v to the weight of the edge; it must be symmetric.
    """
    return _WeightedSearch(weights).solve()


class _WeightedSearch:
    """The primal-dual state. A blossom is named by a number: vertices are their own trivial blossoms.

    Invariants: ``dual[u] + dual[v] (+ blossom duals) >= 2 * weight`` for every edge, with equality on matched edges and
    on the edges of the alternating trees. All duals of roots keep the same parity, so halves never appear.
    """

    def __init__(self, weights: Sequence[Mapping[int, int]]) -> None:
        size = len(weights)
        self.size = size
        self.neighbours = [[(u, 2 * w) for u, w in row.items()] for row in weights]
        self.mate = [-1] * size
        self.top = list(range(size))  # outermost blossom of a vertex
        self.base = list(range(size))
        self.parent = [-1] * size
        self.leaves: list[list[int]] = [[v] for v in range(size)]  # the vertices of every blossom
        self.children: list[list[int]] = [[] for _ in range(size)]
        self.links: list[list[Edge]] = [[] for _ in range(size)]  # links[b][i] joins child i and child i + 1
        self.blossom_dual = [0] * size
        self.label = [_FREE] * size
        self.entry: list[Edge] = [NOWHERE] * size  # the tree edge that reached a blossom: (outside, inside)
        self.alive: set[int] = set()  # outermost non-trivial blossoms
        self.unused: list[int] = []
        self.queue: list[int] = []
        self.best: list[Edge] = [NOWHERE] * size  # least slack edge from an outer vertex: (outer vertex, 2 * weight)
        self.dual = [max((w2 for _, w2 in row), default=0) for row in self.neighbours]

    def solve(self) -> list[int] | None:
        self._start()
        for _ in range(self.size):
            if -1 not in self.mate:
                return self.mate
            if not self._phase():
                return None
        return self.mate if -1 not in self.mate else None

    def _start(self) -> None:
        """Lower duals greedily and match what is tight: most vertices need no search afterwards."""
        dual, mate = self.dual, self.mate
        for v, row in enumerate(self.neighbours):
            if not row:
                continue
            # The least slack bounds how far this dual can fall while all edges stay feasible; keep it even.
            least = min(dual[v] + dual[u] - w2 for u, w2 in row)
            dual[v] -= least - least % 2
            if mate[v] < 0:
                for u, w2 in row:
                    if mate[u] < 0 and dual[u] + dual[v] == w2:
                        mate[v], mate[u] = u, v
                        break

    # --- one phase: grow trees from all free vertices until an augmenting path appears -----------------------------

    def _phase(self) -> bool:
        label, top, mate = self.label, self.top, self.mate
        for b in range(len(label)):
            label[b] = _FREE
            self.entry[b] = NOWHERE
        self.best = [NOWHERE] * self.size
        self.queue = []
        for v in range(self.size):
            if mate[v] < 0:
                self._make_outer(top[v], NOWHERE)
        while True:
            if self._grow():
                break
            if not self._change_duals():
                return False
        for b in list(self.alive):
            if b in self.alive and label[b] == _OUTER and self.blossom_dual[b] == 0:
                self._expand(b, keep_labels=False)
        return True

    def _grow(self) -> bool:
        """Follow tight edges from outer vertices; return True after an augmentation."""
        dual, top, label, best, queue = self.dual, self.top, self.label, self.best, self.queue
        while queue:
            v = queue.pop()
            dual_v = dual[v]
            for u, w2 in self.neighbours[v]:
                other = top[u]
                if other == top[v]:
                    continue
                slack = dual_v + dual[u] - w2
                kind = label[other]
                if slack == 0:
                    if kind == _FREE:
                        self._make_inner(other, v, u)
                    elif kind == _OUTER:
                        if self._join(v, u):
                            return True
                    else:
                        best[u] = (v, w2)
                    continue
                seen = best[u]
                if kind != _OUTER:
                    if seen[0] < 0 or slack < dual[seen[0]] + dual[u] - seen[1]:
                        best[u] = (v, w2)
                elif seen[0] < 0 or top[seen[0]] == other or slack < dual[seen[0]] + dual[u] - seen[1]:
                    best[u] = (v, w2)
        return False

    def _make_outer(self, b: int, entry: Edge) -> None:
        self.label[b] = _OUTER
        self.entry[b] = entry
        for v in self.leaves[b]:
            self.best[v] = NOWHERE
            self.queue.append(v)

    def _make_inner(self, b: int, outside: int, inside: int) -> None:
        self.label[b] = _INNER
        self.entry[b] = (outside, inside)
        base = self.base[b]
        partner = self.mate[base]
        self._make_outer(self.top[partner], (base, partner))

    def _above(self, b: int) -> int:
        """Return the next outer blossom towards the root of an outer blossom, or -1 at the root."""
        entry = self.entry[b]
        if entry[0] < 0:
            return -1
        return self.top[self.entry[self.top[entry[0]]][0]]

    def _join(self, v: int, u: int) -> bool:
        """Handle a tight edge between two outer blossoms: shrink an odd cycle, or augment and return True."""
        first, second = self.top[v], self.top[u]
        seen = set()
        a, b = first, second
        while a >= 0 or b >= 0:
            if a >= 0:
                if a in seen:
                    self._shrink(a, v, u)
                    return False
                seen.add(a)
                a = self._above(a)
            a, b = b, a
        self._augment(v, u)
        return True

    # --- blossoms ------------------------------------------------------------------------------------------------

    def _new_blossom(self) -> int:
        if self.unused:
            return self.unused.pop()
        for values in (self.base, self.parent, self.blossom_dual, self.label):
            values.append(0)
        self.leaves.append([])
        self.children.append([])
        self.links.append([])
        self.entry.append(NOWHERE)
        return len(self.base) - 1

    def _side(self, v: int, stop: int) -> tuple[list[int], list[Edge]]:
        """Return the blossoms from v's up to (without) `stop`, and the edges climbing out of each of them."""
        blossoms: list[int] = []
        edges: list[Edge] = []
        b = self.top[v]
        while b != stop:
            entry = self.entry[b]
            blossoms.append(b)
            edges.append((entry[1], entry[0]))
            b = self.top[entry[0]]
        return blossoms, edges

    def _shrink(self, stop: int, v: int, u: int) -> None:
        """Make one outer blossom of the cycle closed by edge (v, u) below the common ancestor `stop`."""
        left, left_edges = self._side(v, stop)
        right, right_edges = self._side(u, stop)
        b = self._new_blossom()
        # Around the cycle: stop, down the left side to v, across to u, up the right side to stop.
        self.children[b] = [stop, *reversed(left), *right]
        self.links[b] = [(y, x) for x, y in reversed(left_edges)] + [(v, u)] + right_edges
        self.leaves[b] = [leaf for child in self.children[b] for leaf in self.leaves[child]]
        self.base[b] = self.base[stop]
        self.parent[b] = -1
        self.blossom_dual[b] = 0
        self.label[b] = _OUTER
        self.entry[b] = self.entry[stop]
        self.alive.add(b)
        for child in self.children[b]:
            self.parent[child] = b
            self.alive.discard(child)
            was_inner = self.label[child] == _INNER
            for leaf in self.leaves[child]:
                self.top[leaf] = b
                if was_inner:
                    self.queue.append(leaf)
                self.best[leaf] = NOWHERE if was_inner else self.best[leaf]

    def _expand(self, b: int, *, keep_labels: bool) -> None:
        """Dissolve a blossom whose dual is zero; an inner one leaves the tree path through it labelled."""
        children, links = self.children[b], self.links[b]
        label, entry = self.label, self.entry
        for child in children:
            self.parent[child] = -1
            label[child] = _FREE
            entry[child] = NOWHERE
            if child >= self.size:
                self.alive.add(child)
            for leaf in self.leaves[child]:
                self.top[leaf] = child
        self.alive.discard(b)
        if keep_labels:
            outside, inside = entry[b]
            count = len(children)
            position = children.index(self.top[inside])
            step = 1 if position % 2 else -1  # walk the even way round to the base at position 0
            label[children[position]] = _INNER
            entry[children[position]] = (outside, inside)
            while position % count:
                # From the inner child along its matched cycle edge to an outer child, then on to the next inner one.
                x, y = self._link(links, position, step)
                outer = children[(position + step) % count]
                self._make_outer(outer, (x, y))
                position = (position + step) % count
                x, y = self._link(links, position, step)
                position = (position + step) % count
                label[children[position]] = _INNER
                entry[children[position]] = (x, y)
        self.children[b] = []
        self.links[b] = []
        label[b] = _FREE
        entry[b] = NOWHERE
        self.unused.append(b)
        if not keep_labels:
            for child in children:
                if child >= self.size and self.blossom_dual[child] == 0:
                    self._expand(child, keep_labels=False)

    @staticmethod
    def _link(links: list[Edge], position: int, step: int) -> Edge:
        """Return the edge from the child at `position` to its neighbour, in walking order."""
        if step > 0:
            return links[position]
        x, y = links[position - 1]
        return y, x

    # --- augmenting ----------------------------------------------------------------------------------------------

    def _augment(self, v: int, u: int) -> None:
        for start, partner in ((v, u), (u, v)):
            inside, new_mate = start, partner
            while True:
                b = self.top[inside]
                self._rebase(b, inside)
                self.mate[inside] = new_mate
                outer_end = self.entry[b][0]
                if outer_end < 0:
                    break
                inner = self.top[outer_end]
                outside, entered = self.entry[inner]
                self._rebase(inner, entered)
                self.mate[entered] = outside
                inside, new_mate = outside, entered

    def _rebase(self, b: int, v: int) -> None:
        """Turn the matching inside a blossom so that `v` is the vertex matched to the outside."""
        if b < self.size:
            return
        child = v
        while self.parent[child] != b:
            child = self.parent[child]
        self._rebase(child, v)
        children, links = self.children[b], self.links[b]
        count = len(children)
        start = children.index(child)
        position = start
        step = 1 if position % 2 else -1
        while position % count:
            position = (position + step) % count
            x, y = self._link(links, position, step)
            self._rebase(children[position], x)
            position = (position + step) % count
            self._rebase(children[position], y)
            self.mate[x], self.mate[y] = y, x
        self.children[b] = children[start:] + children[:start]
        self.links[b] = links[start:] + links[:start]
        self.base[b] = v

    # --- duals ---------------------------------------------------------------------------------------------------

    def _change_duals(self) -> bool:
        dual, top, label, best = self.dual, self.top, self.label, self.best
        delta = -1
        at: tuple[str, int] = ("", -1)
        for v in range(self.size):
            kind = label[top[v]]
            if kind == _INNER:
                continue
            edge = best[v]
            if kind == _OUTER:
                if edge[0] < 0 or top[edge[0]] == top[v]:
                    edge = best[v] = self._rescan(v)
                if edge[0] < 0:
                    continue
                slack = (dual[edge[0]] + dual[v] - edge[1]) // 2
            elif edge[0] < 0:
                continue
            else:
                slack = dual[edge[0]] + dual[v] - edge[1]
            if delta < 0 or slack < delta:
                delta, at = slack, ("edge", v)
        for b in self.alive:
            if label[b] == _INNER and (delta < 0 or self.blossom_dual[b] // 2 < delta):
                delta, at = self.blossom_dual[b] // 2, ("blossom", b)
        if delta < 0:
            return False
        if delta:
            for v in range(self.size):
                kind = label[top[v]]
                if kind == _OUTER:
                    dual[v] -= delta
                elif kind == _INNER:
                    dual[v] += delta
            for b in self.alive:
                if label[b] == _OUTER:
                    self.blossom_dual[b] += 2 * delta
                elif label[b] == _INNER:
                    self.blossom_dual[b] -= 2 * delta
        if at[0] == "blossom":
            self._expand_inner(at[1])
        else:
            self.queue.append(best[at[1]][0])
        return True

    def _expand_inner(self, b: int) -> None:
        """Dissolve an inner blossom; the vertices that fell out of the tree may now be reached by tight edges."""
        leaves = self.leaves[b]
        self._expand(b, keep_labels=True)
        for v in leaves:
            if self.label[self.top[v]] == _FREE:
                # Its best edge may have been skipped while it was inner: look again.
                edge = self.best[v] = self._rescan(v)
                if edge[0] >= 0 and self.dual[edge[0]] + self.dual[v] == edge[1]:
                    self.queue.append(edge[0])

    def _rescan(self, v: int) -> Edge:
        """Return the least slack edge between v and an outer vertex outside v's blossom."""
        dual, top, label = self.dual, self.top, self.label
        own = top[v]
        found = NOWHERE
        least = -1
        for u, w2 in self.neighbours[v]:
            if top[u] != own and label[top[u]] == _OUTER:
                slack = dual[u] - w2
                if found[0] < 0 or slack < least:
                    found, least = (u, w2), slack
        return found
