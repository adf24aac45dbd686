"""Groups: what is connected by a chain of links (union–find)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class Groups(Generic[Item]):
    """Items, each in a group of its own until it is joined with others."""

    def __init__(self) -> None:
        self._parent: dict[Item, Item] = {}

    def root(self, item: Item) -> Item:
        """The item that stands for the whole group of this one."""
        parent = self._parent
        parent.setdefault(item, item)
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def join(self, a: Item, b: Item) -> None:
        """Put two items, and all that is connected with them, into one group."""
        self._parent[self.root(a)] = self.root(b)


def clusters(links: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """The groups that these links form: members sorted by name, the largest group first, then by name."""
    groups: Groups[str] = Groups()
    names: set[str] = set()
    for a, b in links:
        groups.join(a, b)
        names |= {a, b}
    members: dict[str, list[str]] = {}
    for name in sorted(names):
        members.setdefault(groups.root(name), []).append(name)
    return tuple(sorted((tuple(group) for group in members.values()), key=lambda group: (-len(group), group)))
