"""A contract for import-linter: some packages may import themselves, named others, and the quiet standard library.

"No framework" as a list of forbidden names would forget the next framework. This contract turns it round: whatever is
not named is refused. The standard library is allowed except for what brings in a clock, a language, hidden chance, the
network, a database or other programs: a rule is a function of values.
"""

from __future__ import annotations

import sys

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

LOUD = frozenset(
    {"asyncio", "ftplib", "gettext", "http", "locale", "multiprocessing", "secrets", "select", "shelve", "smtplib"}
    | {"socket", "sqlite3", "ssl", "subprocess", "telnetlib", "tempfile", "threading", "time", "urllib", "uuid"}
    | {"webbrowser"}
)


class PureContract(Contract):
    """Refuse every import out of `packages` that is neither among themselves, nor in `allowed`, nor quiet."""

    packages = fields.ListField(subfield=fields.StringField())
    allowed = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        allowed = tuple(self.allowed or ())
        refused = []
        for package in self.packages:
            inside = (package, *allowed)
            for module in sorted({package, *graph.find_descendants(package)}):
                for imported in sorted(graph.find_modules_directly_imported_by(module)):
                    if not _is_within(imported, inside) and not _is_quiet(imported, module):
                        refused.append((module, imported))
        return ContractCheck(kept=not refused, metadata={"refused": refused})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module, imported in check.metadata["refused"]:
            output.print_error(f"{module} may not import {imported}", bold=False)
        output.new_line()


def _is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_quiet(imported: str, module: str) -> bool:
    """Return whether an import is of the quiet standard library; a command (`__main__`) may use all of it."""
    top = imported.partition(".")[0]
    return top in sys.stdlib_module_names and (top not in LOUD or module.endswith(".__main__"))
