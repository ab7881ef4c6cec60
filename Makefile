# `make demo` sets everything up and runs the sample workflow; `make test` sets up and tests.
# PYTHON chooses the interpreter, VENV the folder of the virtual environment.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint install clean

demo: install
	$(BIN)/python -m spacy project run sample .

test: install
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

# torch first and by itself: on its own it takes the CPU build where one is offered.
install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml setup.py constraints.txt $(shell find spacy_npparse -name '*.p[yx]*')
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist corpus training metrics demo *.egg-info
