# Everything here works from a fresh clone: it needs make, a Python of 3.11 or newer, and a package registry that pip reaches.

PYTHON ?= python3
VENV ?= .venv
DEMO := $(CURDIR)/.demo
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.installed
DEVELOPMENT := $(VENV)/.installed-dev
REQUIREMENTS := pyproject.toml constraints.txt

# Nothing downloads a model: the one that is used comes with a package.
export HF_HUB_OFFLINE := 1
export TRANSFORMERS_OFFLINE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

# Two processes, each takes whole files: what a file makes once serves all of its tests.
SHARED_OUT := -n 2 --dist loadfile --no-loadscope-reorder

# The demo has a store of its own, whatever the environment says.
IN_DEMO := env -u DAGSTER_HOME -u MEMORY_CONFIG MEMORY_HOME="$(DEMO)"

.DEFAULT_GOAL := help
.PHONY: help demo ui test long slow benchmarks lint format typecheck schemas build clean distclean
.NOTPARALLEL:

help: ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(RUNTIME) ## Install, turn the sample sessions into memory, print what was remembered
	@rm -rf "$(DEMO)"
	$(IN_DEMO) $(BIN)/memory import examples/sessions --project hourglass
	@echo
	@echo "Ask it:       MEMORY_HOME=.demo $(BIN)/memory search '배포'"
	@echo "Follow one:   MEMORY_HOME=.demo $(BIN)/memory show mem:…        (any address from above)"
	@echo "See it:       make ui                                        (Dagster, in a browser)"

ui: $(RUNTIME) ## Open the Dagster UI on the demo's store (your own store: memory dev)
	$(IN_DEMO) $(BIN)/memory dev

test: $(DEVELOPMENT) lint typecheck ## Check style and types, run the tests that run with every change
	$(BIN)/pytest $(SHARED_OUT) --durations 25

long: $(DEVELOPMENT) ## Run the long tests: with `make test`, all that must pass before a change lands
	$(BIN)/pytest $(SHARED_OUT) --durations 25 -m "long and not slow"

slow: $(DEVELOPMENT) ## Run the slow tests and the benchmarks (by hand: it takes long)
	TEST_DEPTH=deep $(BIN)/pytest -m "slow or deep" --timeout 3600
	@$(MAKE) --no-print-directory benchmarks

benchmarks: $(DEVELOPMENT) ## Run every benchmark and print its numbers
	@set -e; for program in benchmarks/bench_*.py; do \
	  test -f "$$program" || { echo "no benchmark found"; exit 1; }; \
	  echo "== $$program"; $(BIN)/python "$$program"; \
	done

lint: $(DEVELOPMENT) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEVELOPMENT) ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

typecheck: $(DEVELOPMENT) ## Check the types
	$(BIN)/mypy

schemas: $(DEVELOPMENT) ## Write the JSON Schemas of what is printed (memory_assets/wire/v1)
	$(BIN)/python -m memory_assets.results.schema_files

build: $(DEVELOPMENT) ## Build the wheel and the source archive into dist/
	$(BIN)/python -m build

clean: ## Remove what tests, the demo and the build left behind
	rm -rf "$(DEMO)" build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## The same, and the virtual environment too
	rm -rf $(VENV)

# An environment is made once; it is brought up to date when the requirements change.
$(RUNTIME): $(REQUIREMENTS) | $(BIN)/pip
	@echo "Installing memory_assets into $(VENV) (some minutes the first time) …"
	$(BIN)/python -m pip install -c constraints.txt -e .
	@touch $@

$(DEVELOPMENT): $(REQUIREMENTS) | $(BIN)/pip
	@echo "Installing memory_assets and its development tools into $(VENV) (some minutes the first time) …"
	$(BIN)/python -m pip install -c constraints.txt -e '.[dev]'
	@touch $(RUNTIME) $@

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { echo "error: there is no $(PYTHON) on the PATH"; \
	  echo "hint: install Python 3.11 or newer, or name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $(PYTHON) is $$($(PYTHON) -V 2>&1), and memory_assets needs Python 3.11 or newer"; \
	  echo "hint: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
	  echo "error: $(PYTHON) could not make a virtual environment in $(VENV)"; \
	  echo "hint: on Debian and Ubuntu, install the package python3-venv"; exit 1; }
