# `make demo` sets everything up and runs the sample workflow; `make test` sets up and tests.
# PYTHON chooses the interpreter, VENV the folder of the virtual environment.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
KERNEL = $(shell find spacy_npparse -name '*.p[yx][xd]' -o -name '*.h')

.PHONY: demo test install clean

demo: $(VENV)/.installed
	$(BIN)/python -m spacy project run sample .
	@echo
	@echo "The trees, in a browser: $(CURDIR)/demo/crossing.html"

# The tests call the programs of udtools.
test: export PATH := $(abspath $(BIN)):$(PATH)
test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

install: $(VENV)/.installed

# torch first and by itself: it is the large download, and the one to exchange for another build.
$(VENV)/.torch: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	touch $@

$(VENV)/.installed: $(VENV)/.torch pyproject.toml setup.py $(KERNEL)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.torch pyproject.toml setup.py $(KERNEL)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $(VENV)/.installed $@

clean:
	rm -rf $(VENV) build dist corpus training metrics demo project.lock *.egg-info
