"""Every mutant of the embedded checker: each rule and each yes-or-no decision in its code, made always yes and always no.

They are found in the code itself, so a rule or a condition that is added has its mutants without anybody listing it.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from memory_assets.graduation.proofs import embedded, embedded_rules, embedded_values

# A comparison that is off by its boundary.
_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken checker: ``name`` says where and how, ``load`` gives what of ``embedded`` is to be replaced."""

    name: str
    load: Callable[[], dict[str, Any]]


def rule_names() -> list[str]:
    """Every rule of the embedded checker."""
    return [name for name, value in vars(embedded_rules).items() if inspect.isfunction(value)]


def rule_mutants() -> Iterator[Mutant]:
    """Each rule, always true and always false."""
    for name in rule_names():
        for answer in (True, False):
            broken = ModuleType("broken_rules")
            vars(broken).update({**vars(embedded_rules), name: lambda *_, answer=answer: answer})
            yield Mutant(f"{name} is always {answer}", lambda broken=broken: {"rules": broken})  # type: ignore[misc]


def decision_mutants() -> Iterator[Mutant]:
    """Each condition, comparison and operand of the checker's code, always true and always false; and each boundary."""
    for module, names in ((embedded, ("judge",)), (embedded_rules, ()), (embedded_values, ("integer", "bare_word", "texts"))):
        tree = ast.parse(inspect.getsource(module))
        if module is embedded_values:
            # Only the functions: its classes are the ones that the checker knows.
            tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        for node, field, index in _decisions(tree):
            old = _get(node, field, index)
            for new in _instead(old):
                name = f"{module.__name__.rsplit('.', 1)[1]}:{old.lineno}: {ast.unparse(old)} -> {ast.unparse(new)}"
                _put(node, field, index, ast.fix_missing_locations(ast.copy_location(new, old)))
                code = compile(tree, module.__name__, "exec")
                _put(node, field, index, old)
                yield Mutant(name, lambda code=code, module=module, names=names: _loaded(code, module, names))  # type: ignore[misc]


def _loaded(code: CodeType, module: ModuleType, names: tuple[str, ...]) -> dict[str, Any]:
    broken = ModuleType(module.__name__)
    vars(broken).update(vars(module))
    exec(code, vars(broken))
    return {name: vars(broken)[name] for name in names} or {"rules": broken}


def _decisions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where a yes or no stands: the node, its field, and the place in it."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.IfExp():
                found.append((node, "test", None))
            case ast.BoolOp():
                found += [(node, "values", index) for index in range(len(node.values))]
            case ast.comprehension():
                found += [(node, "ifs", index) for index in range(len(node.ifs))]
            case ast.match_case(guard=ast.expr()):
                found.append((node, "guard", None))
            case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.Call(func=ast.Name(id="all" | "any"))):
                found.append((node, "value", None))
            case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp() as each]):
                found.append((each, "elt", None))
    return found


def _get(node: ast.AST, field: str, index: int | None) -> Any:
    value = getattr(node, field)
    return value if index is None else value[index]


def _put(node: ast.AST, field: str, index: int | None, new: ast.expr) -> None:
    if index is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[index] = new


def _instead(old: ast.expr) -> Iterator[ast.expr]:
    yield ast.Constant(True)
    yield ast.Constant(False)
    if isinstance(old, ast.Compare):
        for place, operator in enumerate(old.ops):
            if type(operator) in _BOUNDARY:
                moved = copy.deepcopy(old)
                moved.ops[place] = _BOUNDARY[type(operator)]()
                yield moved
