# `make demo` sets everything up and runs the sample workflow; `make test` sets up, lints and tests.
# PYTHON chooses the interpreter, VENV the folder of the virtual environment.

PYTHON ?= python3
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN = $(VENV)/Scripts
SEPARATOR = ;
else
BIN = $(VENV)/bin
SEPARATOR = :
endif
KERNEL = $(shell find spacy_npparse -name '*.p[yx][xd]' -o -name '*.h')
CORE = $(addprefix tests/,components decoding laboratory packaging serving systems tokenization \
                          transitions trees)
HEADERS = $(shell find spacy_npparse -name '*.h')

.PHONY: demo pipelines test test-core test-rest coverage lint format docs wheel wheels wheel-test \
        install clean

demo: $(VENV)/.installed
	$(BIN)/python -m spacy project run sample . --vars.split test
	@echo
	@cat assets/sample_treebank/text.txt
	@echo
	@sed '/^$$/q' demo/text.conllu
	@$(BIN)/python -c "import json; \
	    found = json.load(open('metrics/sample/arc_hybrid_swap_parser.test.raw.json'))['official']['Lemmas']; \
	    print('Lemmas of the test set that are right:', found['correct'], 'of', found['gold'])"
	@echo "All of it: $(CURDIR)/demo/text.conllu; in a browser: $(CURDIR)/demo/text.html"

# Pipelines to install, trained on TREEBANK=UD_…, which is fetched from its repository; takes hours.
pipelines: $(VENV)/.installed
	$(BIN)/python -m spacy project assets . --vars.treebank $(TREEBANK)
	$(BIN)/python -m spacy project run pipelines . --vars.treebanks assets/$(TREEBANK)

# Linters and tests call programs of the environment.
test test-core test-rest coverage lint format docs wheel wheels wheel-test: \
    export PATH := $(abspath $(BIN))$(SEPARATOR)$(PATH)

# Linters and all tests, side by side, or TESTS="tests/cli …" only.
test:
ifdef TESTS
	$(MAKE) lint
	python -m pytest $(TESTS)
else
	$(MAKE) --jobs=3 lint test-core test-rest
endif

test-core: $(VENV)/.installed-dev
	python -m pytest $(CORE)

test-rest: $(VENV)/.installed-dev
	python -m pytest $(CORE:%=--ignore=%) tests

# Of the Python code; the compiled kernel is not measured.
coverage: $(VENV)/.installed-dev
	python -m pytest --cov=spacy_npparse --cov-report=term:skip-covered

lint: $(VENV)/.installed-dev
	ruff check .
	ruff format --check .
	mypy
	cython-lint spacy_npparse examples
	clang-format --dry-run --Werror $(HEADERS)

format: $(VENV)/.installed-dev
	ruff check --fix .
	ruff format .
	clang-format -i $(HEADERS)

docs: $(VENV)/.installed-dev
	mkdocs build --strict

# sdist and, from it, a wheel for this machine.
wheel: $(VENV)/.installed-dev
	python -m build

# Wheels for all supported versions of Python; on Linux in containers.
wheels: $(VENV)/.cibuildwheel
	cibuildwheel --output-dir dist

# From a clean clone of the last commit, in new environments; compiles twice.
wheel-test: $(VENV)/.installed-dev
	python .ci/check_wheel.py

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

# Python compiles the modules that tests import; pip would compile all others as well.
$(VENV)/.installed-dev: $(VENV)/.torch pyproject.toml setup.py $(KERNEL)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[dev]'
	touch $(VENV)/.installed $@

$(VENV)/.cibuildwheel: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt cibuildwheel
	touch $@

clean:
	rm -rf $(VENV) build dist corpus training metrics demo project.lock *.egg-info
