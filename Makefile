# Everything starts here: a fresh clone needs only Python 3.11 to 3.14 and make.
# Targets with a ## comment are listed by `make help`.

CONFIG ?= configs/reference.toml
ARGS ?=

# What a Python says of itself: nothing when cribodds can be installed with it.
CHECK := import sys; v = sys.version_info[:2]; print("is Python %d.%d" % v \
	if not (3, 11) <= v <= (3, 14) else "" \
	if __import__("importlib.util").util.find_spec("ensurepip") else "has no venv module")

# The first Python without a fault.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	fault=`$$python -c '$(CHECK)' 2>&1` && test -z "$$fault" && echo $$python && break; done)

VENV := .venv
BIN := $(VENV)/bin
# Written last, and holds where the environment was made: an interrupted installation has none,
# and a folder that was moved or copied is seen.
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv build-table notebooks strength solve-play test test-faults verify mutation bench bench-peers lint format types wheel lock clean clean-all

help: ## List the targets
	@echo "make TARGET, where TARGET is one of:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo 'ARGS="..." hands more arguments to the command behind build-table, strength, solve-play, test,'
	@echo 'test-faults, verify, mutation, bench and bench-peers;'
	@echo "PYTHON=/path/to/python chooses the Python of a new environment."

venv: $(READY) ## Make the environment in .venv (every target that needs it does so first)

build-table: $(READY) ## Build the table of CONFIG (default configs/reference.toml; ARGS=--force builds anew)
	@$(BIN)/cribodds build $(CONFIG) $(ARGS)

notebooks: $(READY) ## Bring each notebook and its text in step, execute all on the smoke table
	@$(BIN)/cribodds build configs/smoke.toml
	@CRIBODDS_TABLE=smoke $(BIN)/python tests/notebook_pairs.py

strength: $(READY) ## Measure the strategies anew and renew the tables of docs/strength.md
	@$(BIN)/cribodds strength --out docs/strength.md $(ARGS)

solve-play: $(READY) ## Solve the card play that comes with the code anew (minutes a round)
	@$(BIN)/cribodds solve-play $(ARGS)

test: $(READY) ## Run the tests
	@$(BIN)/pytest $(ARGS)

test-faults: $(READY) ## Kill, starve and damage real builds, and see what survives (ARGS="-m 'not long'": minutes)
	@$(BIN)/pytest -m faults tests/faults $(ARGS)

verify: $(READY) ## Prove the numbers, claim by claim: an hour, or minutes with ARGS=--quick
	@PYTHONPATH=tests $(BIN)/python -m verify $(ARGS)

mutation: $(READY) ## Change the code place by place: do the tests notice? (hours)
	@$(BIN)/python tests/mutation.py $(ARGS)

bench: $(READY) ## Measure what everything costs, to build/bench.json (ARGS=--quick: minutes)
	@PYTHONPATH=tests $(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(READY) ## Measure other Python packages beside ours, to build/bench-peers.json
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.peers $(ARGS)

lint: $(READY) ## Check style and layout
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(READY) ## Lay the code out and mend what ruff can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# mypy cannot see cribodds.* through an editable install; it sees it through these links.
types: $(READY) ## Check the types of the code and of the tests
	@mkdir -p build/typ/cribodds
	@for floor in sim tables analysis; do \
		test -L build/typ/cribodds/$$floor || ln -s ../../../$$floor build/typ/cribodds/$$floor; done
	@MYPYPATH=build/typ:tests $(BIN)/mypy build/typ/cribodds tests

# setuptools packs whatever an earlier run left in build/lib.
wheel: $(READY) ## Build dist/*.whl, with the tables that are there
	@rm -rf build/lib
	@$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

lock: $(READY) ## Renew requirements.txt from pyproject.toml (asks the package registry)
	@test -x build/lock/bin/uv || { $(BIN)/python -m venv build/lock && \
		build/lock/bin/pip install -qq 'uv>=0.5,<1'; }
	@build/lock/bin/uv pip compile pyproject.toml --quiet --upgrade --all-extras --universal \
		--python-version 3.11 --fork-strategy fewest --generate-hashes --no-emit-index-url \
		--no-emit-find-links --custom-compile-command "make lock" --output-file build/lock/requirements.txt
	@mv build/lock/requirements.txt requirements.txt

clean: ## Remove build artefacts and caches (tables and the environment stay)
	@rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -path ./$(VENV) -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) \
		-prune -exec rm -rf {} +

clean-all: clean ## Remove the built tables and the environment too
	@rm -rf tables/data $(VENV)

# The environment is whole when it was made in this very folder and its Python still runs.
WHOLE = $(shell test "`cat $(READY) 2>/dev/null`" = "$(CURDIR)" && $(BIN)/python -c '' 2>/dev/null && echo yes)
ifneq ($(WHOLE),yes)
.PHONY: $(READY)
endif

FAULT = $(if $(PYTHON),$(shell $(PYTHON) -c '$(CHECK)' 2>/dev/null || echo "cannot be run"),none)
REFUSAL = $(if $(PYTHON),$(PYTHON) $(FAULT),no fitting Python was found); cribodds needs Python 3.11 to 3.14 \
with venv (on Debian and Ubuntu the package python3-venv): install one or name it, make PYTHON=/path/to/python

PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input

$(READY): requirements.txt pyproject.toml
	$(if $(WHOLE),@echo "Bringing $(VENV) up to date.",$(if $(FAULT),$(error $(REFUSAL))) \
		@echo "Installing into $(VENV) with `$(PYTHON) -V`: the first time takes a minute or two." && \
		rm -rf $(VENV) && $(PYTHON) -m venv $(VENV))
	@$(PIP_INSTALL) --require-hashes --only-binary :all: --requirement requirements.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@echo "$(CURDIR)" > $@
