# Everything a person does with the repository. Each target does the set-up it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup demo test slow bench lint format docs clean kernels

setup: $(READY)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pliant needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and run make again"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
		{ echo "python3 -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: setup
	$(BIN)/python examples/spoon.py

# A compiled function that calls one from another file is not recompiled when that file changes: start clean then.
kernels: setup
	@now=$$(cat $$(grep -rlE "njit|implements" pliant --include='*.py' | sort) | sha256sum); \
	if [ "$$now" != "$$(cat .venv/.kernels 2>/dev/null)" ]; then \
		find pliant tests bench -name '*.nb[ic]' -delete; echo "$$now" > .venv/.kernels; fi

test: kernels
	$(BIN)/python -m pytest -n 2 --dist loadfile

slow: kernels
	$(BIN)/python -m pytest --slow -m slow

bench: kernels
	$(BIN)/python -m bench

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
