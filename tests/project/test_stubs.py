"""Stubs of compiled modules, which must have the same public names and parameters."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import spacy_npparse

PACKAGE = Path(spacy_npparse.__file__).parent
STUBS = sorted(PACKAGE.rglob("*.pyi"))
COMPILED = sorted(PACKAGE.rglob("*.pyx"))


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return importlib.import_module(".".join(parts))


def public(members):
    """Return the public names."""
    return {name for name in members if not name.startswith("_")}


def parameters(function, is_method):
    """Return positional and keyword-only parameters of a stub, and whether they are optional."""
    arguments = function.args
    assert not (arguments.posonlyargs or arguments.vararg or arguments.kwarg)
    positional = [argument.arg for argument in arguments.args][is_method:]
    n_required = len(positional) - len(arguments.defaults)
    found = [(name, i >= n_required) for i, name in enumerate(positional)]
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found, [(argument.arg, default is not None) for argument, default in keyword]


def real_parameters(function, is_method):
    """Return the parameters of a compiled function in the same format."""
    found = list(inspect.signature(function).parameters.values())[is_method:]
    by_kind = [
        [(p.name, p.default is not p.empty) for p in found if (p.kind == p.KEYWORD_ONLY) == keyword]
        for keyword in (False, True)
    ]
    return tuple(by_kind)


def check_class(stub, cls):
    described = {}
    for statement in stub.body:
        if isinstance(statement, ast.FunctionDef):
            described[statement.name] = statement
        elif isinstance(statement, ast.AnnAssign):
            described[statement.target.id] = statement
    bases = {base.id for base in stub.bases}
    assert bases == {base.__name__ for base in cls.__bases__} - {"object"}, cls
    for name, statement in described.items():
        assert hasattr(cls, name), (cls, name)
        is_property = isinstance(statement, ast.FunctionDef) and statement.decorator_list
        assert callable(getattr(cls, name)) == (
            isinstance(statement, ast.FunctionDef) and not is_property
        ), (cls, name)
        if isinstance(statement, ast.FunctionDef) and not is_property and name != "__init__":
            expected = real_parameters(getattr(cls, name), is_method=True)
            assert parameters(statement, is_method=True) == expected, (cls, name)
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    assert public(vars(cls)) - inherited <= set(described), cls


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.stem)
def test_a_stub_describes_its_module(stub):
    module = module_of(stub)
    described = set()
    for statement in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ClassDef):
            check_class(statement, getattr(module, statement.name))
            described.add(statement.name)
        elif isinstance(statement, ast.FunctionDef):
            found = real_parameters(getattr(module, statement.name), is_method=False)
            assert parameters(statement, is_method=False) == found, statement.name
            described.add(statement.name)
        elif isinstance(statement, ast.AnnAssign):
            assert hasattr(module, statement.target.id)
            described.add(statement.target.id)
    own = {
        name
        for name, value in vars(module).items()
        if (inspect.isclass(value) or callable(value)) and value.__module__ == module.__name__
    }
    assert public(own) <= described


def test_every_compiled_module_has_a_stub():
    assert [path for path in COMPILED if not path.with_suffix(".pyi").exists()] == []
