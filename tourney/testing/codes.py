"""Which codes of refusals and of log lines the source can produce, read from the source itself.

A code is a literal handed to an error (`TourneyError("round.no_more")`), to the log (`log(event, "section.merged")`),
or to a function that hands one of its parameters on to these (`node.fail(key, "rule.missing")`).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("tourney", "registration", "swiss", "brackets", "prizes")
# What needs a sentence for its code, and where the code is among the arguments.
ERRORS = {
    "TourneyError": 0,
    "AskFirst": 0,
    "NoValidPairing": 0,
    "RuleError": 1,
    "ImportFileError": 0,
    "Problem": 1,
    "TrfRemark": 0,
}
LOG = {"log": 1}
_APART = {"tests", "testing", "migrations", "cases"}
_NEVER = 99  # the position of a parameter that can only be given by name
_CODE = re.compile(r"[a-z_]+(\.[a-z_]*)*")


@dataclass(frozen=True, slots=True)
class Use:
    """A code at a place of the source; `values` are the names its sentence may use, None when they can't be read."""

    code: str
    place: str
    values: frozenset[str] | None
    is_prefix: bool = False  # the rest of the code is known only when the program runs


@dataclass(frozen=True, slots=True)
class _Carrier:
    """A function that hands a parameter on as a code, with values of its own; `local` to its file when private."""

    name: str
    file: Path
    parameter: str
    position: int
    prefix: str
    values: frozenset[str]
    local: bool


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with the class around it, the calls in it by the name of the called, and its assignments."""

    owner: str
    node: ast.FunctionDef
    calls: Sequence[tuple[str, ast.Call]]
    chosen: Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True)
class _Module:
    path: Path
    functions: Sequence[_Function]


def uses(targets: Mapping[str, int]) -> list[Use]:
    """Return every code handed to one of the targets (name of the called → position of the code)."""
    carriers: dict[str, set[_Carrier]] = defaultdict(set)
    while fresh := {
        one for module in _modules() for one in _carriers(module, targets, carriers) if one not in carriers[one.name]
    }:
        for one in fresh:
            carriers[one.name].add(one)
    return list(dict.fromkeys(use for module in _modules() for use in _uses(module, targets, carriers)))


def _sources() -> list[Path]:
    """Return the modules behind pages. The command lines of engines print codes as they are."""
    found = (path.relative_to(ROOT) for app in APPS for path in (ROOT / app).rglob("*.py"))
    return sorted(
        ROOT / path
        for path in found
        if not _APART & set(path.parts) and not (path.name == "__main__.py" and "engine" in path.parts)
    )


@cache
def _modules() -> list[_Module]:
    return [_Module(path, list(_functions(ast.parse(path.read_text("utf-8"))))) for path in _sources()]


def _functions(tree: ast.Module) -> Iterator[_Function]:
    imported = [name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names]
    aliases = {name.asname: name.name for name in imported if name.asname}
    for around in ast.walk(tree):
        if not isinstance(around, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        owner = around.name if isinstance(around, ast.ClassDef) else ""
        for function in around.body:
            if isinstance(function, ast.FunctionDef):
                inside = list(ast.walk(function))
                calls = [(_called(node, aliases), node) for node in inside if isinstance(node, ast.Call)]
                assigned = [node for node in inside if isinstance(node, ast.Assign)]
                chosen = {to.id: one.value for one in assigned for to in one.targets if isinstance(to, ast.Name)}
                yield _Function(owner, function, calls, chosen)


def _called(call: ast.Call, aliases: Mapping[str, str]) -> str:
    match call.func:
        case ast.Name(id=name):
            return aliases.get(name, name)
        case ast.Attribute(attr=name):
            return name
    return ""


def _codes_of(
    path: Path, name: str, call: ast.Call, targets: Mapping[str, int], carriers: Mapping[str, Collection[_Carrier]]
) -> Iterator[tuple[str, ast.expr, frozenset[str]]]:
    """Yield prefix, expression and further values for what a call uses as a code."""
    handing = carriers.get(name, ())
    own = [one for one in handing if one.file == path]
    if name in targets and not own and len(call.args) > targets[name]:
        yield "", call.args[targets[name]], frozenset()
    for one in own or [one for one in handing if not one.local]:
        named = [keyword.value for keyword in call.keywords if keyword.arg == one.parameter]
        if named or len(call.args) > one.position:
            yield one.prefix, named[0] if named else call.args[one.position], one.values


def _carriers(
    module: _Module, targets: Mapping[str, int], carriers: Mapping[str, Collection[_Carrier]]
) -> Iterator[_Carrier]:
    for function in module.functions:
        arguments = function.node.args
        placed = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
        named = {*placed, *(parameter.arg for parameter in arguments.kwonlyargs)}
        bound = bool(placed) and placed[0] in ("self", "cls")
        for name, call in function.calls:
            for prefix, expression, values in _codes_of(module.path, name, call, targets, carriers):
                start, parameter = _parameter(expression)
                if parameter in named:
                    yield _Carrier(
                        name=function.node.name,
                        file=module.path,
                        parameter=parameter,
                        position=placed.index(parameter) - bound if parameter in placed else _NEVER,
                        prefix=f"{prefix}{start}",
                        values=values | _names(call),
                        local=function.node.name.startswith("_") or function.owner.startswith("_"),
                    )


def _parameter(expression: ast.expr) -> tuple[str, str]:
    """Return (prefix, name) for ``name`` or ``f"prefix{name}"``."""
    match expression:
        case ast.Name(id=name):
            return "", name
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), ast.FormattedValue(value=ast.Name(id=name))]):
            return start, name
    return "", ""


def _uses(module: _Module, targets: Mapping[str, int], carriers: Mapping[str, Collection[_Carrier]]) -> Iterator[Use]:
    for function in module.functions:
        for name, call in function.calls:
            for prefix, expression, values in _codes_of(module.path, name, call, targets, carriers):
                if isinstance(expression, ast.Name):
                    expression = function.chosen.get(expression.id, expression)
                unknown = any(keyword.arg is None for keyword in call.keywords)
                place = f"{module.path.relative_to(ROOT)}:{call.lineno}"
                for code, is_prefix in _literals(expression):
                    yield Use(f"{prefix}{code}", place, None if unknown else values | _names(call), is_prefix)


def _literals(expression: ast.expr) -> Iterator[tuple[str, bool]]:
    match expression:
        case ast.Constant(value=str(code)):
            if _CODE.fullmatch(code):
                yield code, False
        case ast.IfExp(body=one, orelse=other):
            yield from _literals(one)
            yield from _literals(other)
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), ast.FormattedValue(value=value)]):
            if not isinstance(value, ast.Name):  # else the function itself is a carrier, or the name tells nothing
                yield start, True


def _names(call: ast.Call) -> frozenset[str]:
    return frozenset(keyword.arg for keyword in call.keywords if keyword.arg is not None)
