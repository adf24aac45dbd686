# make run     serve the web app, with the sample class loaded
# make test    run the tests
# make check   lint and types
# make bench   measure, against something named; make bench-more measures what takes longer
# make real-code  get real code in each language, which some tests and benchmarks read
# make pictures  take all pictures of the documentation again
# make clean   remove what these made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
DEVELOP := $(INSTALL) --constraint .ci/versions.txt --editable

.PHONY: run test check bench bench-more real-code pictures clean

run: $(VENV)/installed
	$(BIN)/moss serve --sample --data moss-data

test: $(VENV)/developing
	$(BIN)/pytest -n auto $(TESTS)

check: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Half an hour at most; the tables are kept in docs/performance.json, and docs/performance.md is filled from it.
bench: $(VENV)/developing real-code
	$(BIN)/python benchmarks/bench.py

# What takes longer, or belongs to other pages.
bench-more: $(VENV)/developing
	$(DEVELOP) ".[bench]"
	$(BIN)/python benchmarks/load.py --keep docs/performance.json
	$(BIN)/python benchmarks/first_page.py --keep docs/performance.json
	$(BIN)/python benchmarks/overview.py --keep docs/performance.json
	$(BIN)/python benchmarks/near_duplicates.py
	$(BIN)/python benchmarks/papers.py
	$(BIN)/python benchmarks/corpus.py --documents 100000
	$(BIN)/python benchmarks/kept.py

# Programs that were not written by us, for tests and benchmarks of the scanners; from package registries, by name.
real-code: $(VENV)/developing
	$(BIN)/python tests/support/fetch_real_code.py

# Needs chromium, poppler-utils and pngquant; a few minutes.
pictures: $(VENV)/developing
	$(BIN)/python docs/screenshots.py
	$(BIN)/python docs/screenshots_app.py

clean:
	rm -rf $(VENV) moss-data report build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .real-code .peers

# The marker files say for which project file the environment was made.
$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable ".[server]"
	@touch $@

$(VENV)/developing: pyproject.toml constraints.txt .ci/versions.txt | $(VENV)/bin/python
	$(DEVELOP) ".[dev]"
	@touch $@ $(VENV)/installed

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "moss needs Python 3.11 or newer: install python3 (Debian: apt install python3 python3-venv; macOS: brew install python)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "moss needs Python 3.11 or newer, and $(PYTHON) is older: install a newer one and name it, for instance: make PYTHON=python3.12." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: install it (Debian: apt install python3-venv)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
