"""Stubs agree with the compiled modules that they describe."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import spacy_npparse
from spacy_npparse import decoding

PACKAGE = Path(spacy_npparse.__file__).parent
MODULES = sorted(Path(decoding.__file__).parent.rglob("*.pyx"))


def definitions(stub):
    return {
        node.name: node
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


@pytest.mark.parametrize("source", MODULES, ids=lambda path: path.stem)
def test_stubs_agree_with_compiled_modules(source):
    name = ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)
    module = importlib.import_module(name)
    stub = definitions(source.with_suffix(".pyi"))
    compiled = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == name
    }
    assert set(stub) == set(compiled)
    for key, value in compiled.items():
        if not isinstance(value, type):
            arguments = [argument.arg for argument in stub[key].args.args]
            parameters = inspect.signature(value).parameters
            assert arguments == list(parameters)
            defaults = [p for p in parameters.values() if p.default is not p.empty]
            assert len(stub[key].args.defaults) == len(defaults)
            assert not stub[key].args.kwonlyargs
            assert isinstance(stub[key], ast.FunctionDef) and stub[key].returns is not None
        else:
            members = {node.name for node in stub[key].body} - {"__init__"}
            assert members == {member for member in vars(value) if not member.startswith("_")}
