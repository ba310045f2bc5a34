# Everything here needs only make and Python 3.11 or later; `make setup` gets the rest.

VENV := .venv
BIN := $(VENV)/bin
PEERS := $(VENV)-peers
# pip shows how far it is to people, and says nothing to a log.
PIP_INSTALL := -m pip install $(shell test -t 2 || echo --quiet) --disable-pip-version-check
INSTALL := $(BIN)/python $(PIP_INSTALL)
SOURCES := src tests tools bench
TESTS := $(wildcard tests/unit tests/contract tests/wire tests/flow tests/e2e)
UV_VERSION := 0.13.9
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --no-annotate

.DEFAULT_GOAL := help
.PHONY: help setup run test unit e2e bench docs docs-serve lint format lock clean

help: ## Show this list
	@grep -hE '^[a-z][a-z-]*:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.installed ## Make .venv with everything that `make run` needs

run: setup ## Serve the rooms; options go in ARGS, as in `make run ARGS="--port 4000"`
	@$(BIN)/palabre serve $(ARGS)

test: packages $(VENV)/.dev $(VENV)/.docs $(PEERS)/.installed lint docs ## Everything that CI runs
	@$(BIN)/python -m pytest $(TESTS)

unit: $(VENV)/.dev ## The fast tests, in less than a minute
	@$(BIN)/python -m pytest $(wildcard tests/unit tests/wire)

e2e: packages $(VENV)/.dev $(PEERS)/.installed ## Real browser, real model, real sockets
	@$(BIN)/python -m pytest tests/e2e

bench: packages $(VENV)/.dev ## Measure, print a table, write bench/results/
	@$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/.docs ## Build the documentation into site/; a warning fails
	@$(BIN)/python tools/reference.py --check
	@$(BIN)/python tools/conformance_table.py --check
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-serve: $(VENV)/.docs ## Write the documentation and watch it
	@$(BIN)/python tools/reference.py
	@$(BIN)/mkdocs serve

lint: $(VENV)/.dev ## What machines can check without running anything
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/check_shape.py
	@$(BIN)/python tools/check_repository.py

format: $(VENV)/.dev ## Write the code as `make lint` wants it
	@$(BIN)/ruff check --fix --quiet $(SOURCES) || true
	@$(BIN)/ruff format --quiet $(SOURCES)

lock: $(VENV)/.installed ## Take the newest releases into requirements/
	@$(INSTALL) uv==$(UV_VERSION)
	@$(LOCK) pyproject.toml --upgrade --group build --extra embedded --extra voice \
		--extra postgres -o requirements/run.txt
	@$(LOCK) pyproject.toml --upgrade -c requirements/run.txt --extra dev --extra ocr --extra piper \
		-o requirements/dev.txt
	@$(LOCK) pyproject.toml --upgrade -c requirements/run.txt --extra docs -o requirements/docs.txt
	@$(LOCK) requirements/peers.in --upgrade -o requirements/peers.txt
	@sh tools/npm_peers.sh lock requirements/npm

clean: ## Remove .venv and everything that was made
	rm -rf $(VENV) $(PEERS) site dist bench/build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: packages
packages:
	@sh tools/debian_packages.sh

$(VENV)/.python:
	@sh tools/make_venv.sh $(VENV)
	@touch $@

$(VENV)/.run: requirements/run.txt $(VENV)/.python
	@echo "Installing what Palabre runs on (about a minute)..."
	@$(INSTALL) --require-hashes -r requirements/run.txt
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.run
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.installed
	@echo "Installing the tools of developers..."
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.installed
	@echo "Installing what builds the documentation..."
	@$(INSTALL) --require-hashes -r requirements/docs.txt
	@touch $@

# Programs that others wrote, which our tests talk to. They never share our .venv.
$(PEERS)/.python:
	@sh tools/make_venv.sh $(PEERS)
	@touch $@

$(PEERS)/.installed: requirements/peers.txt $(wildcard requirements/npm/*) $(PEERS)/.python
	@echo "Installing the peers of the tests..."
	@$(PEERS)/bin/python $(PIP_INSTALL) --require-hashes -r requirements/peers.txt
	@sh tools/npm_peers.sh install requirements/npm $(PEERS)/npm
	@touch $@
