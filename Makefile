# Everything a person does with the repository. Each target does the set-up it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
ALONE := OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PAGE := pliant/app/web/vendor/three.module.js

SECONDS ?= 60
COUNT ?= 200
SEED ?= 0
OLDEST := .venv-oldest

.PHONY: setup demo test slow bench lint format docs clean kernels browser fuzz siege kills mutants oldest lock

setup: $(READY) $(PAGE)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pliant needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and run make again"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
		{ echo "python3 -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# three.js, from npm into the page; needed once, and never again for an installed wheel.
$(PAGE): package-lock.json $(READY)
	@command -v npm >/dev/null || \
		{ echo "the viewer needs npm once, to fetch three.js; on Debian and Ubuntu: apt-get install npm"; exit 1; }
	npm ci --no-audit --no-fund --silent
	$(BIN)/python -m pliant.app.vendor
	@touch $@

# The browser tests skip themselves where there is no Chromium and none may be installed.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "no Chromium: the browser tests will be skipped; on Debian and Ubuntu: sudo apt-get install chromium"

demo: kernels
	$(BIN)/pliant demo

# A compiled function that calls one from another file is not recompiled when that file changes: start clean then.
kernels: setup
	@now=$$(cat $$(grep -rlE "njit|implements|borrowing|counting|merged" pliant --include='*.py' | sort) | sha256sum); \
	if [ "$$now" != "$$(cat .venv/.kernels 2>/dev/null)" ]; then \
		find pliant tests bench -name '*.nb[ic]' -delete; echo "$$now" > .venv/.kernels; fi

# Two processes compile side by side what the tests would compile twice; then two test, and threads of one only wait for
# those of the other.
test: kernels browser
	@$(BIN)/python -m pliant.app.warming clamped tree & $(BIN)/python -m pliant.app.warming seams world; wait
	$(ALONE) $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

slow: kernels browser
	$(BIN)/python -m pytest --slow -m slow

bench: kernels
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench

# Hostile files, scenes, messages, models, recordings and states for so much processor time: make fuzz SECONDS=1800
fuzz: kernels
	cd tests && $(ALONE) PYTHONPATH=$(CURDIR) ../$(BIN)/python -m fuzz $(SECONDS) $(SEED)

# A server among hostile clients for so long, and what an honest viewer sees of it: make siege SECONDS=3600
siege: kernels
	cd tests/app && $(ALONE) PYTHONPATH=$(CURDIR) ../../$(BIN)/python siege.py $(SECONDS) 6 50 $(SEED)

# Writers that are killed at any moment, and whether anything is lost: make kills COUNT=1000
kills: kernels
	cd tests && $(ALONE) PYTHONPATH=$(CURDIR) ../$(BIN)/python -m killing $(COUNT) $(SEED)

# Changed lines that the tests should notice, and those that they do not: make mutants COUNT=20 SEED=3
mutants: kernels
	$(BIN)/python -m bench.mutants $(COUNT) $(SEED)

# The lowest versions that pyproject.toml allows, in an environment of their own.
oldest: $(READY)
	@test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(BIN)/python -m tests.lowest > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt '.[app,charts,usd,video]' \
		pytest hypothesis httpx
	cd tests && $(ALONE) ../$(OLDEST)/bin/python -m pytest -q -p no:cacheprovider mesh reduced/test_file.py \
		systems/test_quick_calls.py scenes/test_scene_files.py export/test_writing.py

# What the development environment holds now, by version.
lock: setup
	$(BIN)/python -m tests.locking > requirements-dev.txt

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
	rm -rf .venv node_modules pliant/app/web/vendor site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
